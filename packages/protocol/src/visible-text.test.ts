import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toVisible } from './visible-text.ts'

describe('a visible text', () => {
  it('keeps its lines and loses what nobody sees', () => {
    expect(toVisible('one\r\n\ttwo\rthree\u2028four\u0085five')).toBe('one\n\ttwo\nthree\nfour\nfive')
    expect(toVisible('a\u0000b\u0007c\u007fd\u009be')).toBe('abcd')
    expect(toVisible('\u001b[1;31mred\u001b[0m \u001b]8;;https://x.example\u0007link\u001b]8;;\u001b\\')).toBe(
      'red link',
    )
    expect(toVisible('pay\u202eeno\u2066 a\u200bb\u{e0041}c\ufeff\u00adx\ufffay\u{e0101}')).toBe('payeno abcxy')
    expect(toVisible('\ud800x')).toBe('\ufffdx')
  })

  it('has something else in their place where that is asked for', () => {
    expect(toVisible('a\u202e\u200bb\u0000\u0001c\u001b[31md\r\ne', ' ')).toBe('a b cd\ne')
  })

  it('keeps what emoji and scripts are made of', () => {
    for (const text of ['👩‍🚀 ok', 'می‌خواهم', 'naïve 日本語', '❤️']) expect(toVisible(text)).toBe(text)
  })

  it('shows none of them, whatever the text, and stays as it is the second time', () => {
    const odd = [
      '\r',
      '\u001b',
      '[',
      '31m',
      ']8;;',
      '\\',
      '\u0007',
      '\u009b',
      '\u200b',
      '\u202e',
      '\u{e0041}',
      '\u2028',
    ]
    const piece = fc.oneof(fc.constantFrom('a', ' ', '\n', 'é', '😀', ...odd), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('', ' '), (pieces, instead) => {
        const once = toVisible(pieces.join(''), instead)
        expect(once).not.toMatch(/(?![\n\t])[\p{Cc}\u200B\u200E\u200F\u2028-\u202E\u2066-\u2069\u{E0000}-\u{E01EF}]/u)
        expect(toVisible(once, instead)).toBe(once)
      }),
      { numRuns: 300 },
    )
  })
})
