import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { type JsonSchema, toJsonSchema } from '../schema/json-schema.ts'
import { createResultCheck } from './function.ts'

const made = toJsonSchema(z.object({ made: z.int(), kind: z.string().optional() }), 'output')

function check(result: unknown, schema: JsonSchema = made): string | undefined {
  return createResultCheck(schema)(JSON.stringify({ result }))
}

describe('a result', () => {
  it.each([
    [{ made: 'x' }, 'result.made: must be a number, not a string'],
    [{}, 'result.made: must be a number, but it is missing'],
    [{ made: 1, more: 1 }, 'result: must not have the key "more"'],
    [null, 'result: must be an object, not null'],
    [{ content: [], structuredContent: { made: null } }, 'result.made: must be a number, not null'],
  ])('that breaks its schema is told in words: %j', (result, problem) => {
    expect(check(result)).toBe(problem)
  })

  it.each([
    { made: 1 },
    { result_type: 'input_required', input_requests: {} },
    { content: [{ type: 'text', text: 'no' }], isError: true },
  ])('that fits, or is none, is not: %j', (result) => {
    expect(check(result)).toBeUndefined()
  })

  it('is held against the schema that clients see, of zod 3 and by hand, too', () => {
    expect(check({ at: 7 }, toJsonSchema(z3.object({ at: z3.string() }), 'output'))).toMatch(/^result\.at: /)
    expect(check(7, { type: 'string' })).toBe('result: must be a string, not a number')
    expect(check('2026-01-01T00:00:00+02:00', { type: 'string', format: 'date-time' })).toBeUndefined()
    expect(check(7, { not: { required: ['a'] } })).toBeUndefined()
  })

  it('is told of once, looked at ten times a second at most, and not when it is large', () => {
    let time = 0
    const look = createResultCheck(made, () => time)
    expect(look('{"result":{"made":1}}')).toBeUndefined()
    expect(look('{"result":{"made":"x"}}')).toBeUndefined()
    time = 100
    expect(look(JSON.stringify({ result: { made: 'x'.repeat(70_000) } }))).toBeUndefined()
    expect(look('{"result":{"made":"x"}}')).toMatch(/^result\.made/)
    time = 1_000
    expect(look('{"result":{"made":"x"}}')).toBeUndefined()
  })
})
