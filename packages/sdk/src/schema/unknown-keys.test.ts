import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { type JsonSchema, toJsonSchema, type ZodSchema } from './json-schema.ts'
import { formatUnknownKeys } from './unknown-key-text.ts'
import { createUnknownKeyFinder } from './unknown-keys.ts'

function told(schema: ZodSchema, value: unknown): string {
  return formatUnknownKeys(createUnknownKeyFinder(schema)(value))
}

function registered(schema: ZodSchema | JsonSchema): JsonSchema {
  const { $schema, ...rest } = toJsonSchema(schema, 'input', 'refuse')
  return rest
}

const Filter = z.object({ since: z.string().optional(), until: z.string().optional() })

describe('a key that a schema does not have', () => {
  const Node = z.object({
    name: z.string(),
    get below() {
      return z.array(Node).optional()
    },
  })
  const shapes = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('box'), width: z.number() }),
  ])

  it.each<[string, ZodSchema, unknown, string]>([
    ['one', Filter, { month: '2026-11' }, 'month: is unknown; it takes since, until'],
    ['a slip', Filter, { sinse: 'x' }, 'sinse: is unknown (did you mean since?); it takes since, until'],
    [
      'several',
      Filter,
      { month: 1, untill: 2 },
      'month: is unknown; untill: is unknown (did you mean until?); it takes since, until',
    ],
    ['one where none fits', z.object({}), { a: 1 }, 'a: is unknown; it takes nothing'],
    [
      'one inside',
      z.object({ filter: Filter }),
      { filter: { month: 1 } },
      'filter.month: is unknown; filter takes since, until',
    ],
    [
      'one in a list',
      z.object({ of: z.array(Filter.optional().nullable()) }),
      { of: [null, { since: 'x' }, { month: 1 }] },
      'of[1].month: is unknown; of[1] takes since, until'.replaceAll('[1]', '[2]'),
    ],
    ['one in a tuple', z.tuple([Filter, z.string()]), [{ x: 1 }, 'a'], '[0].x: is unknown; [0] takes since, until'],
    ['one in a record', z.record(z.string(), Filter), { a: { x: 1 } }, 'a.x: is unknown; a takes since, until'],
    [
      'one below itself',
      Node,
      { name: 'a', below: [{ name: 'b', x: 1 }] },
      'below[0].x: is unknown; below[0] takes name, below',
    ],
    ['one of another form', shapes, { kind: 'box', width: 1, radius: 2 }, 'radius: is unknown; it takes kind, width'],
    [
      'one of two sides',
      Filter.and(z.object({ status: z.string() })),
      { stat: 'x' },
      'stat: is unknown (did you mean status?); it takes since, until, status',
    ],
    ['one of a strict object', z.strictObject({ a: z.string() }), { b: 1 }, 'b: is unknown; it takes a'],
    [
      'one of zod 3',
      z3.object({ a: z3.object({ b: z3.string() }) }),
      { a: { b: 'x', c: 1 } },
      'a.c: is unknown; a takes b',
    ],
    [
      'one of a prototype',
      Filter,
      JSON.parse('{"__proto__": 1, "toString": 2}'),
      '__proto__: is unknown; toString: is unknown; it takes since, until',
    ],
  ])('is told: %s', (_, schema, value, text) => {
    expect(told(schema, value)).toBe(text)
  })

  it.each<[string, ZodSchema, unknown]>([
    ['a loose object', z.looseObject({ a: z.string() }), { b: 1 }],
    ['one with a rest', z.object({ a: z.string() }).catchall(z.number()), { b: 1 }],
    ['a loose object of zod 3', z3.object({}).passthrough(), { b: 1 }],
    ['what is prepared before it is looked at', z.preprocess((value) => value, Filter), { from: 1 }],
    ['the same with zod 3', z3.preprocess((value) => value, z3.object({ since: z3.string() })), { from: 1 }],
    ['a form of a union', z.union([Filter, z.object({ month: z.string() })]), { month: 'x' }],
    ['a side that takes all', Filter.and(z.looseObject({})), { month: 'x' }],
    ['no object', Filter, 'text'],
    ['anything', z.unknown(), { a: 1 }],
  ])('is none in %s', (_, schema, value) => {
    expect(told(schema, value)).toBe('')
  })

  it('is not suggested what is given already', () => {
    const Refund = z.object({ order_id: z.string(), order_ids: z.string().optional() })
    expect(told(Refund, { order_id: 'o-1', order_idd: 'o-2' })).toContain('did you mean order_ids?')
  })

  it('is told with bounds, however many there are and however long they are', () => {
    const wide = z.object(Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`field_${nth}`, z.string()])))
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`${'x'.repeat(300)}${nth}`, nth]))
    const text = told(wide, many)
    expect(text).toContain('and more; it takes field_0, field_1')
    expect(text).toMatch(/field_19 and 20 more$/)
    expect(text.length).toBeLessThan(1_500)
    expect(told(Filter, { 'a\u001b[31m\nb': 1 })).toBe('a b: is unknown; it takes since, until')
  })
})

describe('the schema that is registered', () => {
  it('says that nothing else is taken, at every depth', () => {
    expect(registered(z.object({ filter: Filter.optional(), all: z.looseObject({}) }))).toMatchObject({
      additionalProperties: false,
      properties: { filter: { additionalProperties: false }, all: { additionalProperties: {} } },
    })
    expect(registered(z3.object({ a: z3.string() }))).toMatchObject({ additionalProperties: false })
  })

  it('says of two sides that are one object what the both take', () => {
    expect(registered(Filter.and(z.object({ status: z.string() })))).toMatchObject({
      type: 'object',
      properties: { since: {}, until: {}, status: {} },
      additionalProperties: false,
    })
  })

  it('says nothing of it where two sides stay apart, which would refuse the keys of each other', () => {
    const described = Filter.describe('A span').and(z.object({ status: z.string() }).describe('A state'))
    expect(JSON.stringify(registered(described))).not.toContain('additionalProperties')
    expect(told(described, { since: 'x', status: 'y', month: 'z' })).toBe(
      'month: is unknown; it takes since, until, status',
    )
  })

  it('leaves a JSON Schema as it is, and what ignores unknown keys open', () => {
    expect(registered({ type: 'object' })).toEqual({ type: 'object' })
    expect(toJsonSchema(Filter, 'input', 'ignore')).not.toHaveProperty('additionalProperties')
    expect(toJsonSchema(z3.object({ a: z3.string() }), 'input', 'ignore')).not.toMatchObject({
      additionalProperties: false,
    })
  })
})
