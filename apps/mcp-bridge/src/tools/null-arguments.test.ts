import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { omitNulls } from './null-arguments.ts'

const text = { type: 'string' }
const none = { type: 'null' }
const NESTED = { type: 'object', properties: { note: text } }

function omitBy(properties: object, input: Record<string, unknown>, more: object = {}): unknown {
  const requestSchema = { type: 'object', properties, ...more }
  const detail = { id: 'x::y', description: undefined, requestSchema, responseSchema: undefined, metadata: undefined }
  return omitNulls(input, detail)
}

describe('null for an argument that need not be there', () => {
  it('is an argument that was not given, as mcp-use and CrewAI write it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const sku = { type: 'string' }
    const line = { type: 'object', properties: { sku, note: { type: 'string' } }, required: ['sku'] }
    bridge.other.registerFunction('orders::place', (payload) => ({ currency: 'EUR', ...(payload as object) }), {
      request_format: {
        type: 'object',
        properties: { currency: { type: 'string' }, lines: { type: 'array', items: line } },
        required: ['lines'],
      },
    })
    await bridge.other.ready()
    const input = { currency: null, lines: [{ sku: 'TEA', note: null }], other: null }
    const { structuredContent } = await bridge.result('tools/call', { name: 'orders__place', arguments: input })
    expect(structuredContent).toEqual({ currency: 'EUR', lines: [{ sku: 'TEA' }], other: null })
    expect((await bridge.call('orders__place', { lines: null })).content[0]?.text).toContain('"lines":null')
  })

  it.each([
    text,
    { type: ['string', 'number'] },
    { enum: ['a', 'b'] },
    { const: 'a' },
    { anyOf: [text, { type: 'number' }] },
    { oneOf: [{ const: 'a' }, { enum: ['b'] }] },
    { allOf: [{ description: 'a text' }, text] },
    { $ref: '#/$defs/text' },
  ])('is left out where its schema is %j', (schema) => {
    expect(omitBy({ a: schema }, { a: null, b: 1 }, { $defs: { text } })).toEqual({ b: 1 })
  })

  it.each([
    {},
    none,
    { type: ['string', 'null'] },
    { type: 'string', nullable: true },
    { enum: ['a', null] },
    { const: null },
    { anyOf: [text, none] },
    { description: 'anything' },
    { enum: ['a', 'b'], nullable: true },
    { type: 'choice', enum: ['a', 'b'], nullable: true },
    { $ref: '#/$defs/text', nullable: true },
    { allOf: [{ $ref: '#/$defs/text' }], nullable: true },
    { allOf: [{ enum: ['a'], nullable: true }] },
    { anyOf: [text, { type: 'number' }], nullable: true },
    { anyOf: [{ const: 'a', nullable: true }, text] },
    { oneOf: [text, { type: 'number' }], nullable: true },
    { $ref: '#/$defs/choice' },
  ])('stays where its schema is %j', (schema) => {
    const $defs = { text, choice: { enum: ['a', 'b'], nullable: true } }
    for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])
      expect(omitBy({ a: schema, b: text }, { a: null, b: null }, { $schema, $defs })).toEqual({ a: null })
  })

  it('stays where it is needed or unknown, or the schema cannot be read', () => {
    expect(omitBy({ a: text }, { a: null }, { required: ['a'] })).toEqual({ a: null })
    expect(omitBy({ a: text }, { b: null, toString: null })).toEqual({ b: null, toString: null })
    expect(omitBy({ a: text }, { a: null }, { type: 'string' })).toEqual({ a: null })
    expect(omitBy({ a: text }, { a: null }, { anyOf: [{ properties: { a: none } }] })).toEqual({})
  })

  it.each([
    ['an object', NESTED, { note: null }, {}],
    ['each element of a list', { type: 'array', items: NESTED }, [{ note: null }, null, 7], [{}, null, 7]],
    ['what may be null itself', { anyOf: [NESTED, none] }, { note: null }, {}],
    ['what is nullable', { properties: NESTED.properties, nullable: true }, { note: null }, {}],
    ['an argument of that name', { type: 'object', properties: { nullable: true, note: text } }, { note: null }, {}],
    ['what is referred to', { $ref: '#/$defs/nested' }, { note: null }, {}],
    ['one of several alternatives', { anyOf: [NESTED, text] }, { note: null }, { note: null }],
    ['an object that is a text', text, { note: null }, { note: null }],
  ])('is looked for in %s', (_, schema, given, kept) => {
    expect(omitBy({ a: schema }, { a: given }, { $defs: { nested: NESTED } })).toEqual({ a: kept })
  })

  it('is left out at the root of what a schema composes', () => {
    const requestSchema = { allOf: [{ type: 'object', properties: { a: text } }], properties: { b: text } }
    const detail = { id: 'x::y', description: undefined, requestSchema, responseSchema: undefined, metadata: undefined }
    expect(omitNulls({ a: null, b: null, c: null }, detail)).toEqual({ c: null })
  })

  it('keeps a key of any name', () => {
    const input = JSON.parse('{"__proto__":{"note":null},"a":null}')
    expect(JSON.stringify(omitBy(JSON.parse('{"__proto__":{"type":"object"},"a":{"type":"string"}}'), input))).toBe(
      '{"__proto__":{"note":null}}',
    )
  })
})
