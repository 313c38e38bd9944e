import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonSchema } from '../schema/json-schema.ts'
import { createFormCheck } from './form-check.ts'
import { toFormSchema } from './form-schema.ts'

function checkOf(field: JsonSchema, required = true) {
  const schema = { type: 'object', properties: { it: field }, ...(required ? { required: ['it'] } : {}) }
  return createFormCheck(schema, toFormSchema(schema))
}

const titled = [
  { const: 'S', title: 'Small' },
  { const: 'M', title: 'Medium' },
]

describe('what was filled in', () => {
  it.each<[JsonSchema, unknown, unknown]>([
    [{ type: 'string', minLength: 2, maxLength: 3 }, 'ab', 'a'],
    [{ type: 'string', maxLength: 1 }, 'a', 'ab'],
    [{ type: 'string', format: 'email' }, 'ada@example.org', 'ada'],
    [{ type: 'string', format: 'uri' }, 'https://example.org', 'example'],
    [{ type: 'string', format: 'date' }, '2026-01-31', '31.1.2026'],
    [{ type: 'string', format: 'date-time' }, '2026-01-31T10:00:00+01:00', '2026-01-31'],
    [{ type: 'number', minimum: 0.5 }, 0.5, 0],
    [{ type: 'integer', maximum: 5 }, 5, 1.5],
    [{ type: 'boolean' }, false, 'false'],
    [{ type: 'string', enum: ['S', 'M'] }, 'M', 'L'],
    [{ type: 'string', enum: ['S', 'M'], enumNames: ['Small', 'Medium'] }, 'M', 'Medium'],
    [{ type: 'string', oneOf: titled }, 'M', 'Medium'],
    [{ type: 'array', items: { type: 'string', enum: ['S', 'M'] }, minItems: 1 }, ['S'], []],
    [{ type: 'array', items: { anyOf: titled }, maxItems: 1 }, ['M'], ['S', 'M']],
  ])('is held to the field %j', async (field, good, bad) => {
    const check = checkOf(field)
    expect(await check({ it: good })).toEqual({ content: { it: good } })
    for (const content of [{ it: bad }, {}, 'x', undefined]) expect(await check(content)).toHaveProperty('problem')
  })

  it('gets the defaults of what was left out', async () => {
    expect(await checkOf({ type: 'integer', default: 7 })({})).toEqual({ content: { it: 7 } })
    expect(await checkOf({ type: 'integer' }, false)({})).toEqual({ content: {} })
  })

  it('is told in words when it does not fit', async () => {
    expect(await checkOf({ type: 'integer' })({ it: 'x' })).toEqual({ problem: 'it: must be a number, not a string' })
  })

  it('is held to rules of a zod type that no form can show', async () => {
    const schema = z.object({ id: z.string().regex(/^ORD-/, 'must begin with ORD-') })
    const check = createFormCheck(schema, toFormSchema(schema))
    expect(await check({ id: 'x' })).toEqual({ problem: 'id: must begin with ORD-' })
  })

  it('means the same whether the form was written in zod or is its JSON Schema', async () => {
    const schema = z.object({
      name: z.string().min(2).max(4),
      mail: z.email().optional(),
      count: z.int().min(1).default(2),
      share: z.number().max(1).optional(),
      yes: z.boolean().default(true),
      sizes: z
        .array(z.enum(['S', 'M']))
        .max(2)
        .optional(),
    })
    const form = toFormSchema(schema)
    const inZod = createFormCheck(schema, form)
    const inJson = createFormCheck(form, form)
    const value = fc.oneof(
      fc.constantFrom('ab', 'a', 'ada@example.org', 'S', 0, 1, 2, 0.5, true, null, ['S'], ['L'], ['S', 'M', 'S']),
      fc.jsonValue(),
    )
    const fields = Object.fromEntries(Object.keys(form.properties).map((name) => [name, value]))
    await fc.assert(
      fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), async (content) => {
        expect(await inJson(content)).toEqual(await inZod(content))
      }),
    )
  })

  it('needs a field that forms have', () => {
    expect(() => checkOf({ type: 'object' })).toThrow('The field "it" is none that a form of MCP can have')
  })
})
