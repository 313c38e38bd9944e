import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from './json-text.ts'
import { parseItems, parseJson, parseMembers } from './parse.ts'

/** Values without numbers of so many digits that the engine changes them. */
const values = fc.jsonValue().map((value) => {
  const short = (_key: string, member: unknown) =>
    typeof member === 'number' ? Math.round(member % 1e9) / 1000 : member
  return JSON.parse(JSON.stringify(value, short)) as unknown
})

describe('parseJson', () => {
  it.each([
    ['{"b":1,"a":{"z":1,"c":[ 3, 1 ]}}', '{"a":{"c":[3,1],"z":1},"b":1}'],
    ['{"10":1,"9":2,"_":3,"A":4,"a":5}', '{"10":1,"9":2,"A":4,"_":3,"a":5}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
    ['"\\u0041\\/\\u00e9\\ud83d\\ude00\\u001F"', '"A/é😀\\u001f"'],
    [' [ ] ', '[]'],
    ['{ }', '{}'],
    ['[1,{"a":[{}]}]', '[1,{"a":[{}]}]'],
  ])('writes %s as %s', (text, canonical) => {
    expect(parseJson(text)).toBe(canonical)
  })

  it.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    'tru',
    '01',
    '1.',
    '-',
    '.5',
    '"\n"',
    '"\\x"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '1e400',
    '[1] 2',
    '\ufeff1',
    'NaN',
    '{"a" 1}',
  ])('refuses %j', (text) => {
    expect(parseJson(text)).toBeUndefined()
  })

  it('reads 127 levels and no more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(parseJson(nested(127))).toBe(nested(127))
    expect(parseJson(nested(128))).toBeUndefined()
  })

  it('keeps every value', () => {
    fc.assert(
      fc.property(values, (value) => {
        // Minus zero is a number of its own here, and none in JSON.stringify.
        const text = JSON.stringify(value)
        fc.pre(text.isWellFormed() && !/\\ud[89a-f]/.test(text))
        expect(JSON.parse(parseJson(text) ?? '')).toEqual(JSON.parse(text))
      }),
    )
  })

  it('leaves its own output as it is, whatever white space is put in', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = parseJson(JSON.stringify(value))
        fc.pre(text !== undefined)
        expect(parseJson(text)).toBe(text)
        expect(parseJson(JSON.stringify(JSON.parse(text), null, space))).toBe(
          parseJson(JSON.stringify(JSON.parse(text))),
        )
      }),
    )
  })

  it('sorts keys by their bytes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer()), (value) => {
        const keys = (parseMembers(parseJson(JSON.stringify(value)) ?? '') ?? []).map(([key]) => key)
        const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(keys).toEqual(byBytes)
        expect([...keys].sort(compareBytes)).toEqual(byBytes)
      }),
    )
  })

  it('reads whatever text there is, or refuses it', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseJson(text)))
    fc.assert(fc.property(fc.json(), fc.nat(), (text, at) => void parseJson(text.slice(0, at % (text.length + 1)))))
  })
})

describe('parseItems and parseMembers', () => {
  it('read no number of a canonical text again, which may change each time it is read', () => {
    const canonical = parseJson('8.552211497240878e-14') ?? ''
    expect(canonical).toBe('8.552211497240879e-14')
    expect(parseItems(`[${canonical}]`)).toEqual([canonical])
    expect(parseMembers(`{"a":[${canonical}]}`, true)).toEqual([['a', `[${canonical}]`]])
    expect(parseMembers(`{"a":${canonical}}`)).toEqual([['a', '8.55221149724088e-14']])
  })

  it('take a value apart without touching its parts', () => {
    expect(parseItems('[1.0,"a",{"b":[2]},[]]')).toEqual(['1.0', '"a"', '{"b":[2]}', '[]'])
    expect(parseMembers('{"a":1.0,"b":{"c":2}}')).toEqual([
      ['a', '1.0'],
      ['b', '{"c":2}'],
    ])
    expect([parseItems('{}'), parseMembers('[]'), parseItems('[1'), parseMembers('{"a":1}x')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
