import { describe, expect, it } from 'vitest'
import { toInputSchema, toOutputSchema } from './tool-schemas.ts'

describe('a schema in a list of tools', () => {
  it('names no dialect that it makes no use of', () => {
    const schema = { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] }
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    expect(toInputSchema({ $schema, ...schema })).toEqual({ headers: [], schema, problems: [] })
    expect(toOutputSchema({ $schema, ...schema, additionalProperties: false }).schema).toEqual(schema)
    const list = {
      $schema,
      ...schema,
      properties: { pair: { prefixItems: [{ type: 'string' }], items: { type: 'string' } } },
    }
    expect(toInputSchema(list).schema).toEqual(list)
  })

  it.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'])(
    'has lists of items as the newest dialect writes them, also where it names %s',
    ($schema) => {
      const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false }
      const old = { $schema, type: 'object', properties: { x: tuple } }
      const properties = { x: { type: 'array', prefixItems: [{ type: 'string' }], items: {}, maxItems: 1 } }
      const schema = { type: 'object', properties }
      expect([toInputSchema(old).schema, toOutputSchema(old).schema]).toEqual([schema, schema])
      const dependencies = { x: ['y'] }
      expect(toInputSchema({ ...old, dependencies }).schema).toEqual({ $schema, dependencies, ...schema })
    },
  )
})
