import { isKeyword } from '@iii/protocol/json-schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { requireSchema } from './required-schema.ts'

it.each([
  [{ name: 'string' }, 'name'],
  [{ id: 'string' }, 'id'],
  [{ id: 'string', title: 'string' }, 'id'],
  [{ sku: { type: 'string' }, amount: { type: 'number' } }, 'sku'],
  [{ description: 'string', sku: { enum: ['a', 'b'] } }, 'sku'],
  [{ 'first name': String }, 'first name'],
])('%o has fields where a schema has keywords', (schema, field) => {
  expect(() => requireSchema('This', schema)).toThrow(
    `This is no JSON Schema: if '${field}' is a field, write { type: 'object', properties: { "${field}": { type: 'string' } } }, or {} for what may be anything`,
  )
})

it.each([
  [undefined],
  [{}],
  [z.object({ name: z.string() })],
  [{ type: 'object' }],
  [{ type: 'object', name: 'string' }],
  [{ $comment: 'anything' }],
  [{ $ref: '#/definitions/order', order: { type: 'object' } }],
  [{ $id: 'https://example.com/order', order: 'string' }],
  [{ 'x-order': 1 }],
  [{ title: 'Order' }],
  [{ description: 'What may be anything', version: '2' }],
  [{ id: 'https://example.com/order', description: 'An order of a draft before 6' }],
  [{ not: {} }],
  [{ nullable: true }],
])('%o is a schema', (schema) => {
  expect(() => requireSchema('This', schema)).not.toThrow()
})

it('whatever says what is valid is a schema, with any fields beside it', () => {
  const said = fc.constantFrom('type', 'properties', 'required', 'enum', 'const', 'anyOf', '$ref', 'items', 'x-own')
  fc.assert(
    fc.property(said, fc.dictionary(fc.string(), fc.constant('string')), (keyword, beside) => {
      expect(isKeyword(keyword)).toBe(true)
      expect(() => requireSchema('This', { ...beside, [keyword]: 'string' })).not.toThrow()
    }),
  )
})
