import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasOutputSchema, toInputSchema, toOutputSchema } from './input-schema.ts'

const empty = { type: 'object', properties: {} }

describe('an input schema', () => {
  it.each([undefined, null, true, false, 7, 'object', [], { type: 'string' }, { type: ['array', 'null'] }])(
    'takes any object when the function declares %j',
    (schema) => {
      expect(toInputSchema(schema)).toEqual(empty)
    },
  )

  it('has an object at its root, with properties', () => {
    expect(toInputSchema({})).toEqual(empty)
    expect(toInputSchema({ type: ['object', 'null'], description: 'd' })).toEqual({ ...empty, description: 'd' })
    expect(toInputSchema({ type: 'object', additionalProperties: false })).toEqual({
      ...empty,
      additionalProperties: false,
    })
    expect(toInputSchema({ properties: { a: { type: 'string' } }, required: ['a'] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
  })

  it('has no booleans for schemas', () => {
    const schema = {
      type: 'object',
      properties: { any: true, none: false, list: { type: 'array', items: true } },
      $defs: { x: true },
      anyOf: [true, { not: true }],
    }
    expect(toInputSchema(schema)).toEqual({
      type: 'object',
      properties: { any: {}, none: {}, list: { type: 'array', items: {} } },
      $defs: { x: {} },
      anyOf: [{}, { not: {} }],
    })
  })

  it('says something about the items of every array', () => {
    const properties = {
      a: { type: 'array' },
      b: { type: ['array', 'null'] },
      c: { type: 'array', items: { type: 'array' } },
      d: { type: 'array', prefixItems: [{ type: 'string' }] },
    }
    expect(toInputSchema({ type: 'object', properties })['properties']).toEqual({
      a: { type: 'array', items: {} },
      b: { type: ['array', 'null'], items: {} },
      c: { type: 'array', items: { type: 'array', items: {} } },
      d: { type: 'array', prefixItems: [{ type: 'string' }] },
    })
  })

  it('is otherwise what the function declares', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'address', type: 'object', properties: { city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { kind: { const: 'p' } } },
      ...Object.fromEntries([['then', { required: ['phone'] }]]),
      else: { required: ['email'] },
      additionalProperties: false,
    }
    expect(toInputSchema(schema)).toEqual(schema)
  })

  it('keeps data that only looks like schemas', () => {
    const properties = { items: { type: 'string', enum: [true, 'x'], default: true, const: false, examples: [true] } }
    expect(toInputSchema({ type: 'object', properties })['properties']).toEqual(properties)
  })

  it('may have a property of any name', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":true}}')
    expect(JSON.stringify(toInputSchema(schema))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
    )
  })

  it('ends somewhere', () => {
    let schema: unknown = { type: 'string' }
    for (let i = 0; i < 5_000; i++) schema = { type: 'object', properties: { deeper: schema } }
    expect(JSON.stringify(toInputSchema(schema)).length).toBeLessThan(5_000)
  })

  it('comes out of any JSON, and stays as it is the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const schema = toInputSchema(json)
        expect(schema['type']).toBe('object')
        expect(schema['properties']).toBeTypeOf('object')
        expect(toInputSchema(schema)).toEqual(schema)
      }),
    )
  })
})

describe('an output schema', () => {
  it('is served when its root is an object', () => {
    const schema = { type: 'object', properties: { list: { type: 'array' } } }
    expect(hasOutputSchema(schema)).toBe(true)
    expect(toOutputSchema(schema)).toEqual({
      type: 'object',
      properties: { list: { type: 'array', items: {} } },
    })
  })

  it.each([undefined, null, true, {}, { type: 'string' }, { type: ['object', 'null'] }, []])('is not %j', (schema) => {
    expect(hasOutputSchema(schema)).toBe(false)
    expect(toOutputSchema(schema)).toBeUndefined()
  })
})
