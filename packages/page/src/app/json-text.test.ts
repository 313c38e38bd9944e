import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatJson } from './json-text.ts'

it('has a line for each value, whatever white space there was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.object(), fc.array(fc.json())), fc.constantFrom(undefined, '\t', 4), (value, space) => {
      const text = JSON.stringify(value, null, space)
      const whole = JSON.parse(text) as unknown
      expect(formatJson(` ${text}\n`)).toBe(JSON.stringify(whole, null, 2))
    }),
  )
  expect(formatJson(String.raw`{"a" : "b \" : c", "d":[ ]}`)).toBe('{\n  "a": "b \\" : c",\n  "d": []\n}')
})

it.each(['{"id": 12345678901234567890}', '{"a":1,"a":2}', '{"total":1.0}', '{"b":1,"1":2}', String.raw`["\u00e9"]`])(
  'leaves as it came what would not be the same: %s',
  (text) => {
    expect(formatJson(text)).toBe(text)
  },
)

it.each(['', 'true', '12', '# [a](b)', '[a](b)', '{ no', '"text"'])(
  'is nothing else than objects and lists: %s',
  (text) => {
    expect(formatJson(text)).toBeUndefined()
  },
)
