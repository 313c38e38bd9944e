import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toFittingRows } from './fitting-rows.ts'

const toText = (value: unknown) => JSON.stringify(value)

it('leaves out the largest rows first, and of those that are alike the last', () => {
  expect(toFittingRows(['aaaaaaaaaaaa', 'bb', 'cc', 'dddd'], toText, 25)).toEqual(['bb', 'cc', 'dddd'])
  expect(toFittingRows(['aa', 'bb', 'cc'], toText, 15)).toEqual(['aa', 'bb'])
})

it('hands on what fits as it is', () => {
  const rows = ['aa', 'bb']
  expect(toFittingRows(rows, toText, 14)).toBe(rows)
})

it('never keeps more than fits, and leaves nothing out that would fit with all others', () => {
  const anyRows = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"'.repeat(50), '\u0001', 'é€😀')))
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 10, max: 500 }), (rows, maxBytes) => {
      const toBytes = (some: readonly string[]) => Buffer.byteLength(JSON.stringify(some.map(toText).join()))
      const kept = toFittingRows(rows, toText, maxBytes)
      expect(toBytes(kept) - 2).toBeLessThanOrEqual(maxBytes)
      if (toBytes(rows) - 1 <= maxBytes) expect(kept).toBe(rows)
    }),
  )
})
