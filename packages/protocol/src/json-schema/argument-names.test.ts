import fc from 'fast-check'
import { expect, it } from 'vitest'
import { explainArgumentName, findAwkwardArguments } from './argument-names.ts'

it.each([
  '_id',
  '__proto__',
  '$filter',
  'first name',
  'größe',
  '',
  'a'.repeat(65),
  'self',
  'model_config',
  'model_dump',
])('not every agent takes %j', (name) => {
  expect(explainArgumentName(name)).toEqual(expect.any(String))
  expect(findAwkwardArguments({ properties: Object.fromEntries([[name, {}]]) })).toMatchObject([{ name }])
})

it.each(['id', 'first-name', 'order.id', 'a_b', 'model', 'model_name', 'selfie', 'A1'])(
  'every agent takes %j',
  (name) => {
    expect(explainArgumentName(name)).toBeUndefined()
  },
)

it('whatever is in the place of a schema has no awkward arguments, or some', () => {
  fc.assert(fc.property(fc.anything(), (schema) => Array.isArray(findAwkwardArguments(schema))))
})
