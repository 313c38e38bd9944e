import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAnyOf } from './any-of.ts'

it('finds any of many texts where one of them is, and nothing else', () => {
  const unit = fc.constantFrom(...'abcÄ€')
  const needle = fc.string({ minLength: 2, maxLength: 6, unit })
  fc.assert(
    fc.property(fc.array(needle, { maxLength: 5 }), fc.string({ maxLength: 30, unit }), (needles, text) => {
      expect(createAnyOf(needles)(text)).toBe(needles.some((each) => text.includes(each)))
    }),
    { numRuns: 2_000 },
  )
})

it('finds texts of every length, wherever they stand', () => {
  const long = 'a'.repeat(1_000)
  const hasAny = createAnyOf([`${long}b`, `c${long}d`])
  for (const text of [`${long}b`, `x${long}b`, `${long}c${long}dx`]) expect(hasAny(text)).toBe(true)
  for (const text of ['', 'b', long, `c${long}b`.slice(0, -1), `${long}d`]) expect(hasAny(text)).toBe(false)
})
