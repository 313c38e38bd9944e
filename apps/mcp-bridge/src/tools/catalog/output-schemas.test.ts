import { describe, expect, it } from 'vitest'
import { toOutputSchema } from './tool-schemas.ts'

describe('an output schema', () => {
  it('is served when its root is an object', () => {
    const schema = { type: 'object', properties: { list: { type: 'array' } } }
    expect(toOutputSchema(schema)).toEqual({
      schema: { type: 'object', properties: { list: { type: 'array', items: {} } } },
      problems: [],
    })
  })

  it.each([undefined, null, true, false, {}, { type: 'string' }, { type: ['object', 'null'] }])(
    'is not %j, and nothing is wrong with that',
    (source) => {
      expect(toOutputSchema(source)).toEqual({ schema: undefined, problems: [] })
    },
  )

  it.each([
    [{ properties: [] }, 'properties must be an object with schemas'],
    [{ required: 'x' }, 'required must be a list of strings'],
  ])('loses what is wrong: %j', (part, problem) => {
    expect(toOutputSchema({ type: 'object', ...part })).toEqual({ schema: { type: 'object' }, problems: [problem] })
  })

  it.each([
    ['x', 'must be a JSON Schema'],
    [[], 'must be a JSON Schema'],
    [{ type: 'object', properties: { x: { $ref: '#/nowhere' } } }, 'the reference "#/nowhere" leads to no schema'],
    [{ type: 'object', $ref: '#' }, 'the reference "#" goes round in a circle'],
    [{ type: 'object', description: 'x'.repeat(70_000) }, 'it has 70034 bytes, more than 65536'],
  ])('is not served where nothing helps: %#', (source, problem) => {
    expect(toOutputSchema(source)).toEqual({ schema: undefined, problems: [problem] })
  })
})
