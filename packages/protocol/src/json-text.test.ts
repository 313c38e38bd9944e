import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toJsonText, toPrettyJsonText, toWellFormedJson } from './json.ts'

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\\', '\\ud800', 'u', 'd8', '"', '\n'),
    fc.nat(0xffff).map((u) => String.fromCharCode(u)),
  ),
})
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.double(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(texts, tie('value')),
  ),
})).value

it('text and copy agree, and both are well-formed', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = toJsonText(value) ?? ''
      expect(text.isWellFormed()).toBe(true)
      expect(JSON.stringify(JSON.parse(text)).includes('\\ud')).toBe(/\\\\ud/.test(text))
      expect(JSON.stringify(toWellFormedJson(value))).toBe(text)
      expect(toPrettyJsonText(value)).toBe(JSON.stringify(JSON.parse(text), null, 2))
    }),
    { numRuns: 1000 },
  )
})

it('an escaped backslash before ud800 is text, not a half pair', () => {
  expect(toJsonText('\\ud800\ud800')).toBe('"\\\\ud800\ufffd"')
})

it('keys that are the same once they are mended are there once', () => {
  expect(toJsonText({ '\ud800': 1, '\udbff': 2 })).toBe('{"\ufffd":2}')
})

it('a value that is well-formed is handed on itself', () => {
  const value = { a: ['😀'] }
  expect(toWellFormedJson(value)).toBe(value)
})

it.each([[undefined], [() => 1], [1n], [Symbol('s')]])('what JSON cannot hold has no text: %s', (value) => {
  expect(toJsonText(value)).toBeUndefined()
  expect(toWellFormedJson(value)).toBeUndefined()
})
