import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldSchema, toArguments, toFields } from './schema-fields.ts'

const schema: FieldSchema = {
  properties: {
    name: { type: 'string', description: 'Whose' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    kind: { enum: ['a', 1, null] },
    is_new: { type: 'boolean' },
    lines: { type: 'array', items: { type: 'object' } },
    note: { type: 'string', maxLength: 500 },
    colours: { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] } },
  },
  required: ['name', 'lines'],
}

describe('a form for a schema', () => {
  it('has a field for each property, with what may be typed', () => {
    expect(toFields(schema).map(({ name, kind, isRequired, hint }) => [name, kind, isRequired, hint])).toEqual([
      ['name', 'text', true, 'string'],
      ['count', 'whole number', false, 'integer, 1 to 9'],
      ['kind', 'choice', false, ''],
      ['is_new', 'choice', false, 'boolean'],
      ['lines', 'json', true, 'list of object'],
      ['note', 'long text', false, 'string, at most 500 characters'],
      ['colours', 'choices', false, 'list'],
    ])
  })

  it('leaves out what was left empty, and keeps what stands there at first', () => {
    const { args, problems } = toArguments(
      toFields(schema),
      new Map(Object.entries({ name: 'Ada', lines: '[]', kind: '1', is_new: 'false', colours: '["g"]' })),
    )
    expect([args, problems.size]).toEqual([
      { name: 'Ada', count: 2, kind: 1, is_new: false, lines: [], colours: ['g'] },
      0,
    ])
  })

  it('says at each field what is wrong with it', () => {
    const problemsOf = (typed: Record<string, string>) =>
      Object.fromEntries(toArguments(toFields(schema), new Map(Object.entries(typed))).problems)
    expect(problemsOf({ count: 'many', lines: '' })).toEqual({ count: 'must be a number', lines: 'is needed' })
    expect(problemsOf({ count: '1.5', lines: '[' })).toEqual({ count: 'must be a whole number', lines: 'must be JSON' })
  })

  it('takes names that every object has for what they are', () => {
    const fields = toFields(
      JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'),
    )
    expect(fields.map(({ name, initial }) => [name, initial])).toEqual([
      ['__proto__', ''],
      ['constructor', ''],
    ])
    const { args } = toArguments(fields, new Map([['__proto__', 'a']]))
    expect(JSON.stringify(args)).toBe('{"__proto__":"a"}')
  })

  it.each([5, 'x', null, { a: 1 }])('has no field that is needed where %j says which', (required) => {
    const [field] = toFields({ properties: { x: {} }, required } as unknown as FieldSchema)
    expect(field?.isRequired).toBe(false)
  })

  it('stands whatever a server calls a schema', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (properties, text) => {
        const fields = toFields({ properties } as FieldSchema)
        const typed = new Map(fields.map(({ name }) => [name, text]))
        const { args, problems } = toArguments(fields, typed)
        for (const { name, label, description, hint } of fields) {
          expect([typeof label, typeof description, typeof hint]).toEqual(['string', 'string', 'string'])
          expect(text === '' || problems.has(name) || Object.hasOwn(args, name)).toBe(true)
        }
      }),
    )
  })
})
