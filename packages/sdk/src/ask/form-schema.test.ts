import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { toFormSchema } from './form-schema.ts'

const size = z.enum(['S', 'M'])

describe('a form', () => {
  it.each<[string, z.ZodType, object]>([
    [
      'a text',
      z.string().min(1).max(9).describe('Your name'),
      { type: 'string', minLength: 1, maxLength: 9, description: 'Your name' },
    ],
    [
      'a text with a title and a default',
      z.string().default('Ada').meta({ title: 'Name' }),
      { type: 'string', title: 'Name', default: 'Ada' },
    ],
    ['an email address', z.email(), { type: 'string', format: 'email' }],
    ['an address', z.url(), { type: 'string', format: 'uri' }],
    ['a day', z.iso.date(), { type: 'string', format: 'date' }],
    ['a moment', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['a text with a rule that forms do not have', z.string().regex(/^a/), { type: 'string' }],
    ['a number', z.number().min(0.5).max(1.5).default(1), { type: 'number', minimum: 0.5, maximum: 1.5, default: 1 }],
    ['a whole number', z.int(), { type: 'integer' }],
    ['a whole number with limits', z.int().positive().lt(10), { type: 'integer', minimum: 1, maximum: 9 }],
    ['true or false', z.boolean().default(true), { type: 'boolean', default: true }],
    ['a choice', size.default('M'), { type: 'string', enum: ['S', 'M'], default: 'M' }],
    ['a choice of one', z.literal('S'), { type: 'string', enum: ['S'] }],
    [
      'a choice with titles',
      z.union([z.literal('S').meta({ title: 'Small' }), z.literal('M')]).default('S'),
      {
        type: 'string',
        oneOf: [
          { const: 'S', title: 'Small' },
          { const: 'M', title: 'M' },
        ],
        default: 'S',
      },
    ],
    [
      'a choice with names, as older clients know it',
      z.enum(['S', 'M']).meta({ enumNames: ['Small', 'Medium'] }),
      { type: 'string', enum: ['S', 'M'], enumNames: ['Small', 'Medium'] },
    ],
    [
      'several choices',
      z.array(size).min(1).max(2),
      { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['S', 'M'] } },
    ],
    [
      'several choices with titles',
      z
        .array(z.union([z.literal('S').meta({ title: 'Small' }), z.literal('M').meta({ title: 'Medium' })]))
        .default(['S']),
      {
        type: 'array',
        items: {
          anyOf: [
            { const: 'S', title: 'Small' },
            { const: 'M', title: 'Medium' },
          ],
        },
        default: ['S'],
      },
    ],
  ])('shows %s', (_what, field, shown) => {
    expect(toFormSchema(z.object({ field })).properties['field']).toEqual(shown)
  })

  it('asks for what has neither a default nor a way out', () => {
    const form = toFormSchema(z.object({ a: z.string(), b: z.string().optional(), c: z.string().default('') }))
    expect(form).toMatchObject({ type: 'object', required: ['a'] })
    expect(toFormSchema(z.object({}))).toEqual({ type: 'object', properties: {} })
  })

  it.each([undefined, null, 'x', z.string()])('is not made of %o, and says what it needs', (schema) => {
    expect(() => toFormSchema(schema as never)).toThrow('A form needs an object with a field for each thing')
  })

  it('is made of a zod 3 object as well', () => {
    expect(toFormSchema(z3.object({ n: z3.number().int().min(1) }))).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 } },
      required: ['n'],
    })
  })

  it('passes as it is when it is a JSON Schema', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'string', enum: ['a'], enumNames: ['A'] } },
      $comment: 'x',
    }
    expect(toFormSchema(schema)).toBe(schema)
  })

  it.each<[string, z.ZodType]>([
    ['an object', z.object({ street: z.string() })],
    ['a list of texts', z.array(z.string())],
    ['something or nothing', z.string().nullable()],
    ['a choice among numbers', z.union([z.literal(1), z.literal(2)])],
    ['anything', z.unknown()],
  ])('cannot show %s, and says which field that is', (_what, field) => {
    expect(() => toFormSchema(z.object({ home: field }))).toThrow(/The field "home" cannot be shown in a form of MCP/)
  })

  it('is an object', () => {
    expect(() => toFormSchema(z.string())).toThrow('A form needs an object')
    expect(() => toFormSchema({ type: 'object' })).toThrow('A form needs an object')
  })
})
