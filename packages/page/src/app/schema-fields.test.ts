import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonSchema, toArguments, toFields } from './schema-fields.ts'

const schema: JsonSchema = {
  properties: {
    name: { type: 'string', description: 'Whose' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    kind: { enum: ['a', 1, null] },
    is_new: { type: 'boolean' },
    lines: { type: 'array', items: { type: 'object' } },
    note: { type: 'string', maxLength: 500 },
  },
  required: ['name', 'lines'],
}

describe('a form for a schema', () => {
  it('has a field for each property, with what may be typed', () => {
    expect(toFields(schema).map(({ name, kind, isRequired, hint }) => [name, kind, isRequired, hint])).toEqual([
      ['name', 'text', true, 'string'],
      ['count', 'number', false, 'integer, 1 to 9'],
      ['kind', 'choice', false, ''],
      ['is_new', 'choice', false, 'boolean'],
      ['lines', 'json', true, 'list of object'],
      ['note', 'long text', false, 'string, at most 500 characters'],
    ])
  })

  it('leaves out what was left empty, and keeps what stands there at first', () => {
    const { args, problems } = toArguments(toFields(schema), { name: 'Ada', lines: '[]', kind: '1', is_new: 'false' })
    expect([args, problems]).toEqual([{ name: 'Ada', count: 2, kind: 1, is_new: false, lines: [] }, {}])
  })

  it('says at each field what is wrong with it', () => {
    const { problems } = toArguments(toFields(schema), { count: 'many', lines: '' })
    expect(problems).toEqual({ count: 'must be a number', lines: 'is needed' })
    expect(toArguments(toFields(schema), { lines: '[' }).problems).toEqual({ lines: 'must be JSON' })
  })

  it('stands whatever a server calls a schema', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (properties, text) => {
        const fields = toFields({ properties } as JsonSchema)
        const typed = Object.fromEntries(fields.map(({ name }) => [name, text]))
        expect(toArguments(fields, typed)).toBeTypeOf('object')
      }),
    )
  })
})
