import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkDepth, findUnsafeInteger } from './json.ts'

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

describe('checkDepth', () => {
  it('allows 64 levels and not one more', () => {
    expect(checkDepth(nested(64))).toBeUndefined()
    expect(checkDepth(nested(65))).toBe('nested too deeply (more than 64 levels)')
    expect(checkDepth({ a: { b: [1] } }, { maxDepth: 3 })).toBeUndefined()
    expect(checkDepth({ a: { b: [1] } }, { maxDepth: 2 })).toBe('nested too deeply (more than 2 levels)')
  })

  it('allows 20000 values and not one more', () => {
    expect(checkDepth(new Array(19_999).fill(0))).toBeUndefined()
    expect(checkDepth(new Array(20_000).fill(0))).toBe('too large (more than 20000 values)')
    expect(checkDepth({ a: 1, b: 2 }, { maxNodes: 3 })).toBeUndefined()
    expect(checkDepth({ a: 1, b: 2 }, { maxNodes: 2 })).toBe('too large (more than 2 values)')
  })

  it('survives a hundred thousand levels and a cycle', () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    expect(checkDepth(nested(100_000))).toBe('nested too deeply (more than 64 levels)')
    expect(checkDepth(cycle)).toBe('nested too deeply (more than 64 levels)')
  })

  it('agrees with a recursive count', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? Object.values(value).reduce((n: number, v) => n + countOf(v), 1) : 1
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.nat(6),
        fc.integer({ min: 1, max: 30 }),
        (value, maxDepth, maxNodes) => {
          const ok = depthOf(value) <= maxDepth && countOf(value) <= maxNodes
          expect(checkDepth(value, { maxDepth, maxNodes }) === undefined).toBe(ok)
        },
      ),
    )
  })
})

describe('findUnsafeInteger', () => {
  it.each([
    ['9007199254740993', '$'],
    ['9007199254740992', '$'],
    ['-9007199254740992', '$'],
    ['{"id": 12345678901234567890}', '$.id'],
    ['{"items": [{"id": 1}, {"id": 9007199254740993}]}', '$.items[1].id'],
    ['{"a b": [1e300]}', '$["a b"][0]'],
    ['{"__proto__": 9007199254740993}', '$.__proto__'],
    ['{"a": {"b": 9007199254740993}, "c": 9007199254740993}', '$.a.b'],
  ])('finds in %s the number at %s', (json, path) => {
    expect(findUnsafeInteger(JSON.parse(json))).toBe(path)
  })

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '0.1',
    '"9007199254740993"',
    'null',
    '{}',
    '[1, 2.5, {"a": true}]',
  ])('finds nothing in %s', (json) => {
    expect(findUnsafeInteger(JSON.parse(json))).toBeUndefined()
  })

  it('finds every integer that its own JSON does not give back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const kept = BigInt(JSON.parse(`${integer}`)) === integer
        if (!kept) expect(findUnsafeInteger([JSON.parse(`${integer}`)])).toBe('$[0]')
      }),
    )
  })
})
