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

it('replaces of many texts the first one that begins, and of those that begin together the longest', () => {
  const naive = (text: string, needles: readonly string[]): string => {
    const [longest = ''] = needles.filter((each) => text.startsWith(each)).sort((a, b) => b.length - a.length)
    if (text === '') return ''
    return longest === ''
      ? text.slice(0, 1) + naive(text.slice(1), needles)
      : `-${naive(text.slice(longest.length), needles)}`
  }
  const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\u0161'), minLength: 3, maxLength: 6 })
  fc.assert(
    fc.property(fc.array(needle, { minLength: 1, maxLength: 8 }), fc.array(fc.oneof(needle, letters)), (all, parts) => {
      const needles = createNeedles(3)
      for (const each of all) needles.add(each)
      const text = [...parts, ...all].join('')
      expect(needles.replaceIn(text, '-')).toBe(naive(text, all))
    }),
  )
})
