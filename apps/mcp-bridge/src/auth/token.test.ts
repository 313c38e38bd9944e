import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToken, isBearerText, isOwnToken, isWholeToken, toDigest } from './token.ts'

describe('a static token', () => {
  it('is 256 random bits behind a prefix, with a checksum, and can be sent behind Bearer', () => {
    const made = Array.from({ length: 100 }, createToken)
    for (const token of made) {
      expect(token).toMatch(/^iii_[A-Za-z0-9_-]{43}_[0-9a-f]{8}$/)
      expect([isOwnToken(token), isWholeToken(token), isBearerText(token)]).toEqual([true, true, true])
    }
    expect(new Set(made).size).toBe(100)
  })

  it('is found not to be whole after any slip of one character', () => {
    const token = createToken()
    const characters = [...'ABCdef019_-']
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...characters), (at, character) => {
        fc.pre(token[at] !== character)
        expect(isWholeToken(token.slice(0, at) + character + token.slice(at + 1))).toBe(false)
        expect(isWholeToken(token.slice(0, at) + token.slice(at + 1))).toBe(false)
      }),
    )
  })

  it('is written down as its SHA-256', () => {
    expect(toDigest('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it.each(['', 'a b', 'ä', 'a,b', 'a\n', '=a', 'a"'])('%j cannot be sent behind Bearer', (text) => {
    expect(isBearerText(text)).toBe(false)
  })
})
