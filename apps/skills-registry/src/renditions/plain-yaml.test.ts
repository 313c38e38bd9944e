import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument, stringify } from 'yaml'
import { toPlainYaml } from './plain-yaml.ts'
import { YAML } from './render.ts'

const word = fc.stringMatching(/^[a-z]{1,9}$/)
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .,;:#/()_'"!?&%+=*<>@$^|~`–—…-]{0,40}$/),
  fc.constantFrom(
    'yes',
    'no',
    'on',
    'off',
    'true',
    'null',
    'y',
    'NaN',
    'Infinity',
    'inf',
    'e10',
    '0x1f',
    '2026-11-23',
    '1_000',
  ),
  fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
)
const fields = fc.record({
  name: text,
  description: text,
  metadata: fc.dictionary(fc.oneof(word, text), text, { maxKeys: 3 }),
})

describe('fields that are written the short way', () => {
  it('are the bytes that the library writes, and are read as what they were', () => {
    let written = 0
    fc.assert(
      fc.property(fields, (value) => {
        const yaml = toPlainYaml(value)
        if (yaml === undefined) return
        written += 1
        expect(yaml).toBe(stringify(value, YAML))
        for (const version of ['1.1', '1.2'] as const) expect(parseDocument(yaml, { version }).toJS()).toEqual(value)
      }),
      { numRuns: 2000 },
    )
    expect(written).toBeGreaterThan(0)
  })

  it.each([
    ['orders', 'Create and cancel orders.'],
    ['skill-7', 'Calls `orders::create` with what was asked for, and tells its id (see iii://fn/orders/create).'],
    ['naming', 'Für Müller, nicht für andere — auch nicht später.'],
  ])('are those of most skills: %s, %s', (name, description) => {
    const value = { name, description, metadata: { 'iii-source': `iii://${name}` } }
    expect(toPlainYaml(value)).toBe(stringify(value, YAML))
  })

  it.each([
    'yes',
    'null',
    'e10',
    'E-7',
    'one: two',
    'one #two',
    'one:',
    '- one',
    '2026-11-23',
    'two\nlines',
    '[a]',
    '',
    ' a letter',
  ])('are not %j', (description) => {
    expect(toPlainYaml({ description })).toBeUndefined()
  })
})
