import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCanonicalJson } from './canonical-json.ts'

const json = fc.json({ maxDepth: 6 }).map((text) => JSON.parse(text) as unknown)

/** The same value, its keys in another order. */
function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffle(item)]),
  )
}

describe('canonical JSON', () => {
  it('is the same for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(toCanonicalJson(shuffle(value))).toBe(toCanonicalJson(value))
      }),
    )
  })

  it('is another one for other values', () => {
    fc.assert(
      fc.property(json, (value) => {
        // Zero has no sign in JSON that is written.
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    ['{"__proto__":{"b":1},"a":2}', '{"__proto__":{"b":1},"a":2}'],
    ['["\\ud800"]', '["\\ud800"]'],
    ['["\\ufffd"]', '["\ufffd"]'],
    ['[1e999,-1e999,null,-0]', '[Infinity,-Infinity,null,0]'],
    ['{"z":{},"b":[],"B":""}', '{"B":"","b":[],"z":{}}'],
  ])('of %s is %s', (text, canonical) => {
    expect(toCanonicalJson(JSON.parse(text))).toBe(canonical)
  })

  it('has no more levels and characters than it is given', () => {
    const bounds = { levels: 100, characters: 1_048_576 }
    const nest = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(toCanonicalJson(nest(1000))).toHaveLength(2000)
    expect(toCanonicalJson(nest(100), bounds)).toHaveLength(200)
    expect(toCanonicalJson(nest(101), bounds)).toBeUndefined()
    expect(toCanonicalJson(nest(100_000), bounds)).toBeUndefined()
    expect(toCanonicalJson('x'.repeat(1_048_574), bounds)).toHaveLength(1_048_576)
    expect(toCanonicalJson('x'.repeat(1_048_575), bounds)).toBeUndefined()
  })
})
