import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toInputSchema } from './tool-schemas.ts'

const empty = { type: 'object', properties: {} }

function input(source: unknown) {
  return toInputSchema(source).schema
}

/** The keyword within a property of a schema, and what becomes of it. */
function part(schema: object): unknown {
  const { schema: served, problems } = toInputSchema({ type: 'object', properties: { x: schema } })
  return [(served['properties'] as Record<string, unknown>)['x'], problems]
}

describe('an input schema', () => {
  it.each([undefined, null, true, {}])('takes any object when the function declares %j', (source) => {
    expect(toInputSchema(source)).toEqual({ headers: [], schema: empty, problems: [] })
  })

  it.each([
    [false, 'must be a JSON Schema'],
    [7, 'must be a JSON Schema'],
    ['object', 'must be a JSON Schema'],
    [[], 'must be a JSON Schema'],
    [{ type: 'string' }, "its root must have the type 'object'"],
    [{ type: ['array', 'null'] }, "its root must have the type 'object'"],
  ])('takes any object, and there is a reason to tell, when the function declares %j', (source, problem) => {
    expect(toInputSchema(source)).toEqual({ headers: [], schema: empty, problems: [problem] })
  })

  it('has an object at its root, with properties', () => {
    expect(input({ type: ['object', 'null'], description: 'd' })).toEqual({ ...empty, description: 'd' })
    expect(input({ type: 'object', additionalProperties: false })).toEqual({ ...empty, additionalProperties: false })
    expect(input({ properties: { a: { type: 'string' } }, required: ['a'] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
  })

  it.each([
    [{ required: 'x' }, 'required must be a list of strings'],
    [{ required: null }, 'required must be a list of strings'],
    [{ required: ['x', 1] }, 'required must be a list of strings'],
    [{ properties: [1] }, 'properties must be an object with schemas'],
    [{ properties: 'x' }, 'properties must be an object with schemas'],
    [{ type: 5 }, 'type must be one or several of array, boolean, integer, null, number, object, string'],
    [{ allOf: {} }, 'allOf must be a list of schemas'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema must be a dialect that clients know'],
  ])('loses what is wrong at its root: %j', (source, problem) => {
    expect(toInputSchema(source)).toEqual({ headers: [], schema: empty, problems: [problem] })
  })

  it.each([
    [{ type: 'strin', minLength: 1 }, { minLength: 1 }, 'type must be'],
    [{ type: 'string', required: true }, { type: 'string' }, 'required must be a list'],
    [{ minimum: '1' }, {}, 'minimum must be a number'],
    [{ minimum: 1, exclusiveMinimum: true }, { minimum: 1 }, 'exclusiveMinimum must be a number'],
    [{ maxLength: -1 }, {}, 'maxLength must be a whole number'],
    [{ enum: [] }, {}, 'enum must be a list of values'],
    [{ pattern: '(?P<name>x)' }, {}, 'pattern must be a regular expression'],
    [{ anyOf: [1, { type: 'string' }] }, { anyOf: [{}, { type: 'string' }] }, 'anyOf.0 must be a schema'],
    [{ patternProperties: { '(': {}, x: {} } }, { patternProperties: { x: {} } }, 'patternProperties.( must be a reg'],
    [{ dependencies: { a: ['b'], c: 1 } }, { dependencies: { a: ['b'], c: {} } }, 'dependencies.c must be a schema'],
    [{ title: 7 }, {}, 'title must be a string'],
  ])('loses what is wrong in its parts: %j', (schema, left, problem) => {
    expect(part(schema)).toEqual([left, [expect.stringContaining(`properties.x.${problem}`)]])
  })

  it('never allows less for what it has lost', () => {
    for (const schema of [
      { properties: [1], additionalProperties: false },
      { patternProperties: { '(': {} }, additionalProperties: false },
      { not: { required: 'x' } },
      { if: { minimum: '1' } },
      { oneOf: [{ type: 'x' }, {}] },
      { contains: { enum: [] } },
    ]) {
      const [served, problems] = part(schema) as [object, string[]]
      expect([Object.keys(served).filter((key) => key !== 'patternProperties'), problems]).toEqual([
        [],
        [expect.any(String)],
      ])
    }
    const closed = { allOf: [{ properties: { a: { pattern: '(' } } }], unevaluatedProperties: false }
    expect(part(closed)).toEqual([{ allOf: [{ properties: { a: {} } }] }, [expect.any(String)]])
    const kept = { properties: { a: { pattern: '(' } }, additionalProperties: false }
    expect(part(kept)).toMatchObject([{ additionalProperties: false }, [expect.any(String)]])
  })

  it('has no booleans for schemas', () => {
    const schema = {
      type: 'object',
      properties: { any: true, none: false, list: { type: 'array', items: true } },
      $defs: { x: true },
      not: { anyOf: [true, { not: true }] },
    }
    expect(toInputSchema(schema)).toEqual({
      headers: [],
      schema: {
        type: 'object',
        properties: { any: {}, none: { not: {} }, list: { type: 'array', items: {} } },
        $defs: { x: {} },
        not: { anyOf: [{}, { not: {} }] },
      },
      problems: [],
    })
  })

  it('says something about the items of every array', () => {
    const properties = {
      a: { type: 'array' },
      b: { type: ['array', 'null'] },
      c: { type: 'array', items: { type: 'array' } },
      d: { type: 'array', prefixItems: [{ type: 'string' }] },
    }
    expect(input({ type: 'object', properties })['properties']).toEqual({
      a: { type: 'array', items: {} },
      b: { anyOf: [{ type: 'array', items: {} }, { type: 'null' }] },
      c: { type: 'array', items: { type: 'array', items: {} } },
      d: { type: 'array', prefixItems: [{ type: 'string' }], items: {} },
    })
  })

  it('has lists of items as the newest dialect writes them', () => {
    const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false }
    const mended = { type: 'array', prefixItems: [{ type: 'string' }] }
    expect(part(tuple)).toEqual([{ ...mended, items: {}, maxItems: 1 }, []])
    expect(part({ ...tuple, additionalItems: true })).toEqual([{ ...mended, items: {} }, []])
    expect(part({ type: 'array', items: tuple.items })).toEqual([{ ...mended, items: {} }, []])
  })

  it('is otherwise what the function declares', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'address', type: 'object', properties: { city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, other: { $ref: '#address' } },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { kind: { const: 'p' } } },
      ...Object.fromEntries([['then', { required: ['phone'] }]]),
      else: { required: ['email'] },
      additionalProperties: false,
      'x-order': ['name', 'address'],
    }
    expect(toInputSchema(schema)).toEqual({ headers: [], schema, problems: [] })
  })

  it('keeps data that only looks like schemas', () => {
    const items = { type: 'string', enum: [true, 'x'], default: { type: 7 }, const: false, examples: [true] }
    expect(part(items)).toEqual([items, []])
  })

  it('has no addresses, which validators keep one register of for all tools', () => {
    const schema = {
      $id: 'https://x.example/y',
      id: 'y',
      'x-old': { $id: 'z' },
      'x-mcp-header': 'Region',
      type: 'string',
    }
    expect(part(schema)).toEqual([{ type: 'string', 'x-mcp-header': 'Region' }, []])
  })

  it('has titles and descriptions without what nobody sees', () => {
    expect(part({ title: 'A\u202eB', description: 'one\u200b\r\ntwo\u001b[31m', default: '\u202e' })).toEqual([
      { title: 'AB', description: 'one\ntwo', default: '\u202e' },
      [],
    ])
  })

  it('may have a property of any name', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":true}}')
    expect(JSON.stringify(input(schema))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
    )
  })

  it('has at most 32 schemas within each other', () => {
    const nest = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { properties: { in: nest(levels - 1) } }
    expect(toInputSchema({ type: 'object', ...nest(31) }).problems).toEqual([])
    expect(toInputSchema({ type: 'object', ...nest(32) }).problems).toEqual([
      expect.stringMatching(/in lies deeper than 32 schemas$/),
    ])
    let deep: unknown = { type: 'string' }
    for (let i = 0; i < 5_000; i++) deep = { type: 'object', properties: { deeper: deep } }
    expect(JSON.stringify(input(deep)).length).toBeLessThan(5_000)
  })

  it('has at most 1000 subschemas and 64 KiB, and takes any object beyond that', () => {
    const wide = (count: number) => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'string' }])),
    })
    expect(toInputSchema(wide(999)).problems).toEqual([])
    expect(toInputSchema(wide(1_000))).toEqual({
      headers: [],
      schema: empty,
      problems: ['it has more than 1000 subschemas'],
    })
    const long = (length: number) => ({ type: 'object', properties: {}, description: 'x'.repeat(length) })
    const frame = JSON.stringify(long(0)).length
    expect(toInputSchema(long(65_536 - frame)).problems).toEqual([])
    expect(toInputSchema(long(65_537 - frame))).toEqual({
      headers: [],
      schema: empty,
      problems: ['it has 65537 bytes, more than 65536'],
    })
  })

  it('comes out of any JSON, and stays as it is the second time', () => {
    const keyword = fc.constantFrom(
      ...['type', 'properties', 'required', 'items', 'allOf', 'not', 'oneOf', '$ref', '$defs', 'additionalProperties'],
      ...['enum', 'pattern', '$schema', '$anchor', 'nullable', 'dependencies', 'prefixItems', 'title', 'x'],
    )
    const word = fc.constantFrom('object', 'array', '#', '#/$defs/x', 'x', '(', '\u202e', true, false, null, -1, 1)
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 6 },
        word,
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), schema), (json) => {
        const first = toInputSchema(json)
        expect(first.schema['type']).toBe('object')
        expect(first.schema['properties']).toBeTypeOf('object')
        expect(toInputSchema(first.schema)).toEqual({ headers: [], schema: first.schema, problems: [] })
      }),
      { numRuns: 500 },
    )
  })
})
