import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNeedles } from './needles.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '🔑'), maxLength: 40 })

it('replaces one text wherever it stands, as replaceAll does', () => {
  fc.assert(
    fc.property(letters, letters, letters, (needle, before, after) => {
      fc.pre(needle.length >= 2)
      const needles = createNeedles(2)
      needles.add(needle)
      const text = before + needle + after
      expect(needles.replaceIn(text, '-')).toBe(text.replaceAll(needle, '-'))
    }),
  )
})

it('leaves nothing of the longer of two texts', () => {
  const needles = createNeedles(3)
  for (const needle of ['open', 'open sesame', 'sesame', 'opera']) needles.add(needle)
  expect(needles.replaceIn('say open sesame, open opera, op', '*')).toBe('say *, * *, op')
})
