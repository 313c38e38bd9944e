import { describe, expect, it } from 'vitest'
import { toLeanResult, toLeanSchema } from './lean-schema.ts'

const DRAFT = 'http://json-schema.org/draft-07/schema#'

describe('a schema that models read', () => {
  it('has no bounds that all whole numbers have, and those that say something', () => {
    const whole = { type: 'integer', minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }
    expect(toLeanSchema({ type: 'object', properties: { a: whole, b: { ...whole, minimum: 1 } } })).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer', minimum: 1 } },
    })
  })

  it('has a choice for a list of types, each with what is about its values, and one type as it is', () => {
    const facts = { description: 'Who', default: null }
    const properties = {
      a: { ...facts, type: ['string', 'null'], minLength: 1, enum: ['x', null] },
      b: { type: ['array', 'object'], items: { type: ['integer', 'number'] }, required: ['c'] },
      c: { type: ['boolean'], title: 'Sure' },
      d: { type: ['string', 'null'], anyOf: [{ minLength: 2 }] },
    }
    expect(toLeanSchema({ type: 'object', properties })).toEqual({
      type: 'object',
      properties: {
        a: { ...facts, enum: ['x', null], anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
        b: {
          anyOf: [
            { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'number' }] } },
            { type: 'object', required: ['c'] },
          ],
        },
        c: { type: 'boolean', title: 'Sure' },
        d: properties.d,
      },
    })
    expect(toLeanResult({ type: 'object', properties: { a: { type: ['string', 'null'] } } })).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
    })
  })

  it('says the type of a single value where nothing else does', () => {
    const properties = {
      a: { const: 'x', description: 'Which' },
      b: { anyOf: [{ const: 1 }, { const: 1.5 }, { const: null }, { const: [1] }, { const: {} }, { const: true }] },
      c: { const: 1, enum: [1] },
    }
    const lean = toLeanSchema({ type: 'object', properties, const: {} })
    const types = ['integer', 'number', 'null', 'array', 'object', 'boolean']
    expect(lean).toEqual({
      type: 'object',
      const: {},
      properties: {
        a: { type: 'string', const: 'x', description: 'Which' },
        b: { anyOf: properties.b.anyOf.map((one, at) => ({ type: types[at], ...one })) },
        c: properties.c,
      },
    })
  })

  it('does not say that names are texts, and of results not that nothing else comes', () => {
    const names = { type: 'object', propertyNames: { type: 'string' }, additionalProperties: false }
    const short = { type: 'object', propertyNames: { type: 'string', maxLength: 3 }, additionalProperties: false }
    const schema = { properties: { names, short }, additionalProperties: { type: 'integer' } }
    expect(toLeanSchema(schema)).toEqual({
      ...schema,
      properties: { names: { type: 'object', additionalProperties: false }, short },
    })
    const { additionalProperties: _closed, ...open } = short
    expect(toLeanResult(schema)).toEqual({ ...schema, properties: { names: { type: 'object' }, short: open } })
  })

  it('has no title that repeats a name', () => {
    const schema = {
      title: 'orders list',
      properties: { order_id: { title: 'Order Id' }, sum: { title: 'Cents' }, title: { type: 'string' } },
    }
    expect(toLeanSchema(schema, 'orders__list')).toEqual({
      properties: { order_id: {}, sum: { title: 'Cents' }, title: { type: 'string' } },
    })
  })

  it('names its dialect where another one would read it otherwise', () => {
    expect(toLeanSchema({ $schema: DRAFT, type: 'object' })).toEqual({ type: 'object' })
    for (const part of [{ items: [{}] }, { dependencies: { a: ['b'] } }, { $ref: '#/definitions/x', minLength: 1 }]) {
      const schema = { $schema: DRAFT, properties: { a: part } }
      expect(toLeanSchema(schema)).toEqual(schema)
    }
  })

  it('names no dialect in which its lists of items are nothing', () => {
    const rest = { properties: { a: { prefixItems: [{}], items: { type: 'string' } } } }
    expect(toLeanSchema({ $schema: DRAFT, ...rest })).toEqual(rest)
    const newest = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...rest }
    expect(toLeanSchema(newest)).toEqual(newest)
  })

  it('keeps data that looks like a schema', () => {
    const schema = {
      properties: { a: { default: { title: 'a', maximum: 9_007_199_254_740_991 }, enum: [{ $ref: 1 }] } },
    }
    expect(toLeanSchema(schema)).toEqual(schema)
  })
})
