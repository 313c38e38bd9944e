import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrap } from './wrap.ts'

describe('lines', () => {
  it('hold all words in their order, none longer than it may be but for one word alone', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (all, width) => {
        const lines = wrap(all.join(' '), width)
        expect(lines.join(' ')).toBe(all.join(' '))
        for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true)
      }),
    )
  })
})
