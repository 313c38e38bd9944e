import { describe, expect, it } from 'vitest'
import { decodeInput, type InputShape, inputSchema, type Kind } from './input.ts'

const shape = {
  struct: 'Sample',
  fields: { scope: 'string', value: 'json', size: 'usize?', names: 'strings?', all: 'boolean?' },
  aliases: { data: 'value' },
  describe: { scope: 'Where.' },
} as const satisfies InputShape<Record<string, Kind>>

describe('decodeInput', () => {
  it('reads an object, other names for a field, and an array in field order', () => {
    const input = decodeInput('f', shape, '{"constructor":1,"data":[1.0],"names":["a"],"scope":"s","size":null}')
    expect(input).toEqual({ scope: 's', value: '[1.0]', size: undefined, names: ['a'] })
    expect(decodeInput('f', shape, '["s",null,5]')).toEqual({ scope: 's', value: 'null', size: 5 })
  })

  it.each([
    ['null', 'invalid type: null, expected struct Sample'],
    ['"x"', 'invalid type: string "x", expected struct Sample'],
    ['true', 'invalid type: boolean `true`, expected struct Sample'],
    ['{}', 'missing field `scope`'],
    ['{"scope":"s"}', 'missing field `value`'],
    ['{"scope":1.5}', 'invalid type: floating point `1.5`, expected a string'],
    ['{"scope":[]}', 'invalid type: sequence, expected a string'],
    ['{"scope":{}}', 'invalid type: map, expected a string'],
    ['{"all":"yes","scope":"s","value":1}', 'invalid type: string "yes", expected a boolean'],
    ['{"scope":"s","size":-1,"value":1}', 'invalid value: integer `-1`, expected usize'],
    ['{"scope":"s","size":"5","value":1}', 'invalid type: string "5", expected usize'],
    ['{"names":"a","scope":"s","value":1}', 'invalid type: string "a", expected a sequence'],
    ['{"data":1,"scope":"s","value":2}', 'duplicate field `value`'],
    ['["s"]', 'invalid length 1, expected struct Sample with 5 elements'],
    ['["s",1,2,[],"yes",6]', 'invalid type: string "yes", expected a boolean'],
    ['["s",1,2,[],true,6]', 'invalid length 6, expected fewer elements in array'],
  ])('refuses %s', (data, reason) => {
    expect(() => decodeInput('f', shape, data)).toThrow(`Failed to deserialize input for f: ${reason}`)
  })
})

describe('inputSchema', () => {
  it('shows types, descriptions and what is required', () => {
    expect(JSON.parse(inputSchema(shape))).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Sample',
      type: 'object',
      required: ['scope', 'value'],
      properties: {
        scope: { type: 'string', description: 'Where.' },
        value: {},
        size: { type: ['integer', 'null'] },
        names: { type: ['array', 'null'], items: { type: 'string' } },
        all: { type: ['boolean', 'null'] },
      },
    })
  })
})
