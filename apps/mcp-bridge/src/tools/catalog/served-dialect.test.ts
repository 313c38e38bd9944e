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
})
