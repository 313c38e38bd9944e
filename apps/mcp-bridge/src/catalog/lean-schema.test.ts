import { describe, expect, it } from 'vitest'
import { toLeanSchema } from './lean-schema.ts'

const DRAFT = 'http://json-schema.org/draft-07/schema#'

describe('a schema in a list of tools', () => {
  it('has no bounds that all whole numbers have, and those that say something', () => {
    const whole = { type: 'integer', minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }
    expect(toLeanSchema({ type: 'object', properties: { a: whole, b: { ...whole, minimum: 1 } } })).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer', minimum: 1 } },
    })
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

  it('keeps data that looks like a schema', () => {
    const schema = {
      properties: { a: { default: { title: 'a', maximum: 9_007_199_254_740_991 }, enum: [{ $ref: 1 }] } },
    }
    expect(toLeanSchema(schema)).toEqual(schema)
  })
})
