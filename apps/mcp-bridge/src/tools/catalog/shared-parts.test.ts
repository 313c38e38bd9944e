import type { JsonObject } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inlineReferences } from './schema-inliner.ts'
import { toShared } from './shared-parts.ts'
import { toToolEntry } from './tool-entry.ts'

const address = {
  type: 'object',
  properties: { street: { type: 'string', maxLength: 200 }, country: { type: 'string', pattern: '^[A-Z]{2}$' } },
}

function inlined(schema: JsonObject): unknown {
  return inlineReferences(schema, new Map(), false)
}

describe('what a schema repeats', () => {
  it('is kept once under the name that it has first', () => {
    const schema = { type: 'object', properties: { billing: address, shipping: address, note: { type: 'string' } } }
    const $ref = '#/$defs/billing'
    const shared = toShared(schema)
    expect(shared).toEqual({
      type: 'object',
      properties: { billing: { $ref }, shipping: { $ref }, note: { type: 'string' } },
      $defs: { billing: address },
    })
    expect(inlined(shared)).toEqual(schema)
  })

  it('stays where a reference is no shorter, and where something counts on its place', () => {
    const short = { type: 'string' }
    const twice = { properties: { a: address, b: address } }
    for (const schema of [
      { type: 'object', properties: { a: short, b: short } },
      { ...twice, $schema: 'http://json-schema.org/draft-07/schema#', items: [{}] },
      { ...twice, $defs: { c: short } },
      { properties: { ...twice.properties, c: { $ref: '#/properties/a' } } },
    ]) {
      expect(toShared(schema)).toBe(schema)
    }
  })

  it('has a name of its own where two parts are called the same', () => {
    const other = { ...address, required: ['street', 'country'] }
    const shop = { properties: { at: address, from: address } }
    const home = { properties: { at: other, from: other, 'not plain': { items: other } } }
    const schema = { type: 'object', properties: { shop, home } }
    const shared = toShared(schema)
    expect(Object.keys(shared['$defs'] as object)).toEqual(['at', 'at2'])
    expect(inlined(shared)).toEqual(schema)
  })

  it('means the same as before, and is never longer', () => {
    const { schema } = fc.letrec<{ schema: JsonObject; leaf: JsonObject }>((tie) => ({
      leaf: fc.constantFrom<JsonObject>(
        address,
        { type: 'string', format: 'date-time', description: 'When it was' },
        {},
      ),
      schema: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.record({ items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
        fc.record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', '$ref', '__proto__', 'é'), tie('schema')),
        }),
      ),
    }))
    fc.assert(
      fc.property(schema, (before) => {
        const shared = toShared(before)
        expect(inlined(shared)).toEqual(before)
        expect(JSON.stringify(shared).length).toBeLessThanOrEqual(JSON.stringify(before).length)
      }),
    )
  })

  it('is there in the row of a tool for those who follow references, and for nobody where there are to be none', () => {
    const requestSchema = { type: 'object', properties: { billing: address, shipping: address } }
    const detail = { id: 'a::b', description: 'x', requestSchema, responseSchema: undefined, metadata: undefined }
    const { json } = toToolEntry(detail)
    expect(JSON.parse(json.inlined)).toMatchObject({ inputSchema: requestSchema })
    expect(JSON.parse(json.shared)).toMatchObject({ inputSchema: toShared(requestSchema) })
    const bare = toToolEntry(detail, { inlineAll: true })
    expect(bare.json.shared).toBe(bare.json.inlined)
  })
})
