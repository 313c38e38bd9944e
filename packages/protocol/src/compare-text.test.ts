import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText } from './compare-text.ts'

it('texts are ordered by their units, as the language does by itself', () => {
  expect(['b', 'ä', 'B', 'a', ''].sort(compareText)).toEqual(['', 'B', 'a', 'b', 'ä'])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      expect([...texts].sort(compareText)).toEqual([...texts].sort())
    }),
  )
})
