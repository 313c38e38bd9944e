import { describe, expect, it } from 'vitest'
import { inlineReferences } from './schema-inliner.ts'
import { toInputSchema, toOutputSchema } from './tool-schemas.ts'

const draft7 = 'http://json-schema.org/draft-07/schema#'
const newest = 'https://json-schema.org/draft/2020-12/schema'
const city = { type: 'object', properties: { name: { type: 'string' } } }

describe('a schema as real libraries write it', () => {
  it.each<[string, object, object]>([
    [
      'definitions (draft-07 generators)',
      {
        $schema: draft7,
        type: 'object',
        properties: { from: { $ref: '#/definitions/City' } },
        definitions: { City: city },
      },
      { type: 'object', properties: { from: city } },
    ],
    [
      'the root as a reference (a named type)',
      { $ref: '#/definitions/City', definitions: { City: city }, $schema: draft7 },
      { ...city },
    ],
    [
      '$defs with a description beside the reference (pydantic)',
      {
        type: 'object',
        title: 'Trip',
        $defs: { City: { ...city, description: 'A city' } },
        properties: { from: { $ref: '#/$defs/City', description: 'Where it starts' } },
      },
      { type: 'object', title: 'Trip', properties: { from: { ...city, description: 'Where it starts' } } },
    ],
    [
      'what can be nothing (pydantic Optional)',
      {
        type: 'object',
        $defs: { City: city },
        properties: { via: { anyOf: [{ $ref: '#/$defs/City' }, { type: 'null' }], default: null } },
      },
      { type: 'object', properties: { via: { anyOf: [city, { type: 'null' }], default: null } } },
    ],
    [
      'a reference through a reference',
      {
        type: 'object',
        $defs: { A: { $ref: '#/$defs/B' }, B: { type: 'string' } },
        properties: { a: { type: 'array', items: { $ref: '#/$defs/A' } } },
      },
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } },
    ],
    [
      'rules beside a reference',
      { type: 'object', $defs: { N: { type: 'integer' } }, properties: { n: { $ref: '#/$defs/N', minimum: 1 } } },
      { type: 'object', properties: { n: { minimum: 1, allOf: [{ type: 'integer' }] } } },
    ],
    [
      'rules beside a reference where they do not count',
      {
        $schema: draft7,
        type: 'object',
        properties: { n: { $ref: '#/definitions/N', minimum: 1 } },
        definitions: { N: { type: 'integer' } },
      },
      { type: 'object', properties: { n: { type: 'integer' } } },
    ],
    [
      'what contains itself (a tree)',
      {
        type: 'object',
        properties: { root: { $ref: '#/$defs/Node' } },
        $defs: {
          Node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Node' } } } },
        },
      },
      {
        type: 'object',
        properties: {
          root: { type: 'object', properties: { children: { type: 'array', items: { type: 'object' } } } },
        },
      },
    ],
    [
      'what contains itself, where that would refuse something',
      {
        type: 'object',
        properties: { tree: { $ref: '#/$defs/Tree' }, no: { not: { $ref: '#' } } },
        $defs: { Tree: { oneOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/Tree' } }] } },
      },
      {
        type: 'object',
        properties: { tree: { anyOf: [{ type: 'string' }, { type: 'array', items: {} }] }, no: {} },
      },
    ],
    [
      'data and names that look like references',
      {
        type: 'object',
        $defs: { N: { const: { $ref: '#/$defs/N' } } },
        properties: { $ref: { $ref: '#/$defs/N' }, $defs: { type: 'string', default: { $ref: 'x' } } },
      },
      {
        type: 'object',
        properties: {
          $ref: { type: 'object', const: { $ref: '#/$defs/N' } },
          $defs: { type: 'string', default: { $ref: 'x' } },
        },
      },
    ],
    [
      'alternatives at the root (a discriminated union)',
      {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'string' } }, required: ['kind', 'x'] },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'], additionalProperties: false },
        ],
      },
      {
        type: 'object',
        properties: {
          kind: {
            anyOf: [
              { type: 'string', const: 'a' },
              { type: 'string', const: 'b' },
            ],
          },
          x: { type: 'string' },
        },
        required: ['kind'],
      },
    ],
    [
      'parts at the root (an intersection), by reference',
      {
        type: 'object',
        $defs: { City: { ...city, required: ['name'] } },
        allOf: [{ $ref: '#/$defs/City' }, { type: 'object', properties: { size: { type: 'integer' } } }],
        unevaluatedProperties: false,
      },
      { type: 'object', properties: { ...city.properties, size: { type: 'integer' } }, required: ['name'] },
    ],
  ])('needs nobody who follows references or composes at the root: %s', (_, source, schema) => {
    expect(toInputSchema(source)).toEqual({ schema: { properties: {}, ...schema }, headers: [], problems: [] })
  })

  it('keeps all that it has when it declares 2020-12, but for its root; one switch makes it like the others', () => {
    const rest = {
      $schema: newest,
      $defs: { City: { ...city, $anchor: 'city' } },
      properties: { from: { $ref: '#/$defs/City' }, to: { $ref: '#city' } },
      allOf: [{ required: ['from'] }],
    }
    expect(toInputSchema(rest).schema).toEqual({ ...rest, type: 'object' })
    expect(toInputSchema(rest, { inlineAll: true }).schema).toEqual({
      type: 'object',
      properties: { from: city, to: city },
      required: ['from'],
    })
  })

  it('keeps its references where what they refer to would be too much', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `n${index}`,
        { type: 'object', properties: { a: { $ref: `#/$defs/n${index + 1}` }, b: { $ref: `#/$defs/n${index + 1}` } } },
      ]),
    )
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/n0' } },
      $defs: { ...$defs, n12: { type: 'string' } },
    }
    expect(toInputSchema(schema)).toEqual({ schema, headers: [], problems: [] })
  })

  it('is not made a thousand times as long, with values that are put in as many places', () => {
    const size = { enum: Array.from({ length: 10_000 }, (_, index) => index) }
    const toSchema = (places: number) => ({
      properties: Object.fromEntries(Array.from({ length: places }, (_, index) => [index, { $ref: '#/$defs/size' }])),
      $defs: { size },
    })
    expect(inlineReferences(toSchema(1), new Map(), false)).toEqual({ properties: { 0: size } })
    expect(inlineReferences(toSchema(900), new Map(), false)).toBeUndefined()
  })

  it('is served as the schema of results likewise, without losing how it is composed', () => {
    const source = { $ref: '#/definitions/City', definitions: { City: { ...city, anyOf: [{ required: ['name'] }] } } }
    expect(toOutputSchema(source)).toEqual({ schema: { ...city, anyOf: [{ required: ['name'] }] }, problems: [] })
  })
})
