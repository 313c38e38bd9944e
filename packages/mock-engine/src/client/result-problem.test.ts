import { describe, expect, it } from 'vitest'
import { toText } from '../json/build.ts'
import { findResultProblem } from './result-problem.ts'

const cup = {
  type: 'object',
  properties: { made: { type: 'integer' }, cups: { type: 'array', items: { $ref: '#/definitions/cup' } } },
  required: ['made'],
  additionalProperties: false,
  definitions: { cup: { type: 'object', properties: { tea: { enum: ['green'] } } } },
}

function problemOf(result: unknown, schema: unknown = cup): string | undefined {
  return findResultProblem(toText(schema), toText(result))
}

describe('a result that breaks its schema', () => {
  it.each([
    [{ made: '3' }, 'made: "3" is not of type "integer"'],
    [{ made: 1, cups: [{}, { tea: 'black' }] }, 'cups[1].tea: "black" is not one of ["green"]'],
    [{}, 'the result: "made" is a required property'],
    ['done', 'the result: "done" is not of type "object"'],
    [null, 'the result: null is not of type "object"'],
    [{ content: [], structuredContent: { made: 'x' } }, 'made: "x" is not of type "integer"'],
  ])('is named with its place: %j', (result, problem) => {
    expect(problemOf(result)).toBe(problem)
  })

  it('is named where it has more than it may, and without a tool result as data', () => {
    expect(problemOf({ made: 1, more: 2 })).toMatch(/^the result: .*more/)
    expect(problemOf({ content: [{ type: 'text', text: 'x' }] })).toMatch(/^the result: /)
  })

  it('is told so that it can be read', () => {
    const long = { made: 'x'.repeat(5_000) }
    expect(problemOf(long)?.length).toBeLessThan(400)
    const many = { cups: [1, 2, 3, 4, 5].map((tea) => ({ tea })), made: 1 }
    expect(problemOf(many)).toMatch(/^cups\[0\].*; cups\[2\][^;]*; and 2 more$/)
  })

  it.each([
    [{ made: 1 }],
    [{ result_type: 'input_required', input_requests: {} }],
    [{ result_type: 'protocol_error', code: 1, message: 'no' }],
    [{ content: [], isError: true }],
    [{ content: [], structuredContent: { made: 1 } }],
  ])('is not what is no result, or fits: %j', (result) => {
    expect(problemOf(result)).toBeUndefined()
  })

  it('cannot be found by a schema that cannot be used', () => {
    expect(problemOf(7, { $ref: 'https://example.com/x' })).toBeUndefined()
  })
})
