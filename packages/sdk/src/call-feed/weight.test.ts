import { describe, expect, it } from 'vitest'
import { isLight } from './weight.ts'

describe('the weight of arguments', () => {
  it('is light for what tools usually get', () => {
    for (const value of [undefined, null, 1, 'text', [], {}, { customer: 'Ada', lines: [{ sku: 'TEA', quantity: 2 }] }])
      expect(isLight(value)).toBe(true)
  })

  it('is heavy for long texts, long keys and many parts, wherever they are', () => {
    const long = 'x'.repeat(9_000)
    const many = Array.from({ length: 1_000 }, (_, at) => at)
    for (const value of [long, { a: [{ b: long }] }, { [long]: 1 }, many, { a: many }, many.map(() => [1])])
      expect(isLight(value)).toBe(false)
  })
})
