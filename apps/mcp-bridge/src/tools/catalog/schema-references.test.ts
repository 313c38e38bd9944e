import { describe, expect, it } from 'vitest'
import { toInputSchema } from './tool-schemas.ts'

describe('a schema with references', () => {
  it.each([
    ['https://json.example/person.json', 'leads out of the schema'],
    ['other.json#/a', 'leads out of the schema'],
    ['#/$defs/nobody', 'leads to no schema'],
    ['#/properties/x/$ref', 'leads to no schema'],
    ['#/constructor', 'leads to no schema'],
    ['#/$defs/%', 'leads to no schema'],
    ['#nobody', 'leads to no schema'],
    ['#/$defs/a', 'goes round in a circle'],
  ])('with the reference %s takes any object', ($ref, problem) => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: $ref === '#/$defs/a' ? { $ref } : {} }
    const source = { $defs, properties: { x: { $ref } } }
    const { schema, problems } = toInputSchema(source)
    expect([schema, problems]).toEqual([{ type: 'object', properties: {} }, [expect.stringContaining(problem)]])
  })

  it('may refer to itself, and takes any object there whatever dialect it names', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { child: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } } },
    }
    const any = { type: 'object' }
    expect(toInputSchema(schema)).toEqual({
      schema: { type: 'object', properties: { child: any, list: { type: 'array', items: any } } },
      headers: [],
      problems: [],
    })
  })
})
