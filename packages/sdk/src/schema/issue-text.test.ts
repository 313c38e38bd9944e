import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { formatIssues } from './issue-text.ts'
import type { ZodSchema } from './json-schema.ts'

function told(schema: ZodSchema, value: unknown): string {
  const { error } = schema.safeParse(value) as ReturnType<z.ZodType['safeParse']>
  return formatIssues(error?.issues ?? [])
}

describe('what is wrong with a value', () => {
  it.each<[ZodSchema, unknown, string]>([
    [z.string(), 7, 'must be a string, not a number'],
    [z.string(), undefined, 'must be a string, but it is missing'],
    [z.string(), null, 'must be a string, not null'],
    [z.string(), true, 'must be a string, not a boolean'],
    [z.boolean(), 'x', 'must be true or false, not a string'],
    [z.object({}), [], 'must be an object, not a list'],
    [z.record(z.string(), z.string()), 'x', 'must be an object, not a string'],
    [z.array(z.string()), {}, 'must be a list, not an object'],
    [z.number(), Number.NaN, 'must be a number, not NaN'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.int(), 'x', 'must be a number, not a string'],
    [z.never(), 7, 'must not be given'],
    [z.nonoptional(z.unknown()), undefined, 'is required'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(3), '', 'must have at least 3 characters'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.string().length(3), 'a', 'must have exactly 3 characters'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().gt(1), 1, 'must be more than 1'],
    [z.number().max(9), 10, 'must be at most 9'],
    [z.number().lt(9), 9, 'must be less than 9'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
    [z.literal('x'), 'y', 'must be "x"'],
    [z.string().regex(/^a$/), 'b', 'must match the pattern /^a$/'],
    [z.string().startsWith('x'), 'b', 'must start with "x"'],
    [z.email(), 'b', 'must be a valid email address'],
    [z.url(), 'b', 'must be a valid URL'],
    [z.uuid(), 'b', 'must be a valid UUID'],
    [z.iso.datetime(), 'b', 'must be a valid ISO datetime'],
    [z.base64(), '*', 'must be a valid base64-encoded string'],
    [z.string().lowercase(), 'A', 'must be in lower case'],
    [z.strictObject({}), { a: 1 }, 'must not have the key "a"'],
    [z.strictObject({}), { a: 1, b: 2 }, 'must not have the keys "a", "b"'],
    [z.union([z.string(), z.number(), z.null()]), true, 'must be a string or a number or null'],
    [z.union([z.object({ a: z.string() }), z.string()]), {}, 'fits none of the forms that are allowed'],
    [z.string().refine(() => false), 'x', 'is not valid'],
  ])('is said so that a person can mend it: %#', (schema, value, rule) => {
    expect(told(schema, value)).toBe(`payload: ${rule}`)
  })

  it('is what the author of the schema says, where they say something', () => {
    expect(told(z.string().regex(/^ORD-/, 'Invalid order id'), 'x')).toBe('payload: invalid order id')
    expect(told(z.string().min(1, 'Say who it is for'), '')).toBe('payload: say who it is for')
    expect(told(z.string({ error: 'must be the name of a shop' }), 1)).toBe('payload: must be the name of a shop')
  })

  it('names the field and what is wrong there', () => {
    const schema = z.object({
      items: z.array(z.object({ amount: z.int().min(1) })),
      by: z.record(z.string().min(3), z.any()),
    })
    expect(told(schema, { items: [{ amount: 1 }, { amount: 0 }], by: { x: 1 } })).toBe(
      'items[1].amount: must be at least 1; by.x: has a key that must have at least 3 characters',
    )
    const types = z.object({ shape: z.discriminatedUnion('type', [z.object({ type: z.literal('a') })]) })
    expect(told(types, { shape: { type: 'c' } })).toBe("shape.type: must be one of 'a'")
    expect(formatIssues(schema.safeParse({}).error?.issues ?? [], 'config')).toBe(
      'config.items: must be a list, but it is missing; config.by: must be an object, but it is missing',
    )
  })

  it.each<[ZodSchema, unknown, string]>([
    [z3.string(), 1, 'must be a string, not a number'],
    [z3.string(), undefined, 'is required'],
    [z3.number().int(), 1.5, 'must be a whole number'],
    [z3.string().min(2), '', 'must contain at least 2 character(s)'],
    [z3.enum(['a', 'b']), 'c', "must be one of 'a', 'b'"],
    [z3.literal('x'), 'y', 'must be "x"'],
    [z3.string().email(), 'x', 'must be a valid email'],
    [z3.object({}).strict(), { a: 1 }, "must not have the key 'a'"],
    [z3.union([z3.string(), z3.number()]), true, 'must be a string or a number'],
  ])('is the same for zod 3: %#', (schema, value, rule) => {
    expect(told(schema, value)).toBe(`payload: ${rule}`)
  })

  it('is told up to five times', () => {
    const issues = Array.from({ length: 7 }, (_, index) => ({ path: [index], message: 'Required' }))
    expect(formatIssues(issues)).toMatch(/^\[0\]: is required; .*; \[4\]: is required; and 2 more$/)
  })
})
