import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { cutUtf8, findLoneSurrogate, utf8Length } from './utf8.ts'

const units = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) })

it('counts the bytes that an encoder writes', () => {
  fc.assert(fc.property(units, (text) => utf8Length(text) === new TextEncoder().encode(text).length))
  expect(utf8Length('aé€😀')).toBe(1 + 2 + 3 + 4)
})

it('cuts to the limit, ellipsis included, and never inside a character', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, fc.integer({ min: 3, max: 60 }), (whole, max) => {
      const cut = cutUtf8(whole, max)
      expect(utf8Length(cut)).toBeLessThanOrEqual(max)
      expect(cut.isWellFormed()).toBe(true)
      if (utf8Length(whole) <= max) expect(cut).toBe(whole)
      else expect(whole.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true)
    }),
  )
  expect(cutUtf8('😀😀', 7)).toBe('😀…')
  expect(cutUtf8('😀😀', 7, '')).toBe('😀')
  expect(cutUtf8('😀', 0, '')).toBe('')
})

it('looks at what is kept, and at nothing of what is cut off', () => {
  const text = 'a'.repeat(1_000_000)
  const looksAt = vi.spyOn(String.prototype, 'charCodeAt')
  cutUtf8(text, 100)
  const { length } = looksAt.mock.calls
  looksAt.mockRestore()
  expect(length).toBeLessThan(200)
})

it.each([
  ['', -1],
  ['a😀', -1],
  ['a\ud800', 1],
  ['😀\udc00', 2],
  ['\udc00\ud800', 0],
])('finds the half pair in %j at %d', (text, index) => {
  expect(findLoneSurrogate(text)).toBe(index)
})
