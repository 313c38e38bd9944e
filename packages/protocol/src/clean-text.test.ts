import { describe, expect, it } from 'vitest'
import { toDescription, toTitle } from './clean-text.ts'

describe('a text that somebody wrote about a function', () => {
  it('has at most 4 KiB, and a title 256 bytes on one line', () => {
    expect(toDescription('x'.repeat(4_096))).toBe('x'.repeat(4_096))
    expect(toDescription('x'.repeat(4_097))).toBe(`${'x'.repeat(4_093)}…`)
    expect(toTitle('x'.repeat(256))).toBe('x'.repeat(256))
    expect(toTitle('é'.repeat(129))).toBe(`${'é'.repeat(126)}…`)
    expect(toTitle(' New\n\torder ')).toBe('New order')
  })

  it('shows where something was that nobody sees, if asked to', () => {
    expect(toDescription('pay\u200bpal\nnow')).toBe('paypal\nnow')
    expect(toDescription('pay\u200bpal\nnow', ' ')).toBe('pay pal\nnow')
    expect(toTitle('pay\u200bpal\nnow', ' ')).toBe('pay pal now')
  })

  it('is nothing where nothing is left', () => {
    for (const text of [undefined, '', ' \n ', '\u200b', '\u001b[0m']) {
      expect([toDescription(text), toTitle(text)]).toEqual([undefined, undefined])
    }
  })
})
