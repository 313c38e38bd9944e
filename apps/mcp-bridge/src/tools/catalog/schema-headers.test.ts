import { describe, expect, it } from 'vitest'
import { toInputSchema } from './tool-schemas.ts'

const HEADER = 'x-mcp-header'

describe('a request schema that asks for headers', () => {
  it('keeps them on plain properties, at any depth', () => {
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', [HEADER]: 'Region' },
        in: { type: 'object', properties: { __proto__x: { type: 'integer', [HEADER]: 'Count' } } },
      },
    }
    expect(toInputSchema(schema)).toEqual({
      schema,
      problems: [],
      headers: [
        { name: 'Region', path: ['region'] },
        { name: 'Count', path: ['in', '__proto__x'] },
      ],
    })
  })

  it.each<[string, object, RegExp]>([
    ['no name', { a: { type: 'string', [HEADER]: '' } }, /a.x-mcp-header must be the name of a header/],
    ['spaces', { a: { type: 'string', [HEADER]: 'My Region' } }, /must be the name of a header/],
    ['something else', { a: { type: 'string', [HEADER]: 7 } }, /must be the name of a header/],
    ['an object', { a: { type: 'object', [HEADER]: 'A' } }, /must be on a string, an integer or a boolean/],
    ['a float', { a: { type: 'number', [HEADER]: 'A' } }, /must be on a string, an integer or a boolean/],
    [
      'one name twice',
      { b: { type: 'string', [HEADER]: 'A' }, a: { type: 'string', [HEADER]: 'a' } },
      /a.x-mcp-header must be a name that no other property has/,
    ],
  ])('loses those that clients refuse the tool for: %s', (_, properties, problem) => {
    const { schema, problems } = toInputSchema({ type: 'object', properties })
    expect(problems).toEqual([expect.stringMatching(problem)])
    expect(JSON.stringify((schema['properties'] as { a: object }).a)).not.toContain(HEADER)
  })

  it('has none where the arguments are not known by name', () => {
    const item = { type: 'string', [HEADER]: 'A' }
    const { schema, headers } = toInputSchema({
      type: 'object',
      properties: { list: { type: 'array', items: item } },
      additionalProperties: item,
    })
    expect([JSON.stringify(schema).includes(HEADER), headers]).toEqual([false, []])
  })
})
