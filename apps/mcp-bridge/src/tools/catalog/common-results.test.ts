import { describe, expect, it } from 'vitest'
import { toInputSchema, toOutputSchema } from './tool-schemas.ts'

/** What a list has of a part of a response schema, and what is said of it. */
function result(x: object): unknown {
  const { schema, problems } = toOutputSchema({ type: 'object', properties: { x } })
  return [(schema?.['properties'] as { x?: unknown } | undefined)?.x, problems]
}

describe('a schema that clients of all languages hold results against', () => {
  it('counts the items of a closed list, which older dialects hold against its end too', () => {
    const prefixItems = [{ type: 'integer' }, { type: 'string' }]
    const counted = { type: 'array', prefixItems, items: {} }
    for (const items of [false, { not: {} }]) {
      expect(result({ type: 'array', prefixItems, items })).toEqual([{ ...counted, maxItems: 2 }, []])
      expect(result({ type: 'array', prefixItems, items, maxItems: 1 })).toEqual([{ ...counted, maxItems: 1 }, []])
      const $schema = 'https://json-schema.org/draft/2020-12/schema'
      const exact = { $schema, type: 'object', anyOf: [{}], properties: { x: { type: 'array', prefixItems, items } } }
      const read = { ...exact, properties: { x: { ...counted, maxItems: 2 } } }
      expect([toOutputSchema(exact).schema, toInputSchema(exact).schema]).toEqual([read, read])
    }
    expect(result({ type: 'array', items: { not: {} } })).toEqual([{ type: 'array', items: { not: {} } }, []])
  })

  it('lets the first items of an open list be what older dialects hold them against', () => {
    const [one, other] = [{ type: 'integer', minimum: 1 }, { type: 'string' }]
    const open = (items: object, ...prefixItems: object[]) => ({ type: 'array', prefixItems, items })
    const types = (type: unknown, ...prefixItems: object[]) => [open({ type }, ...prefixItems), []]
    expect(result(open(other, one, other))).toEqual(types(['integer', 'string'], one, other))
    expect(result(open({ type: 'integer' }, one))).toEqual(types('integer', one))
    expect(result(open({ ...other, nullable: true }, one))).toEqual(types(['integer', 'string', 'null'], one))
    expect(result(open(other, other))).toEqual([open(other, other), []])
    for (const item of [{ enum: [1] }, { type: 'array', items: {} }]) {
      expect(result(open(other, item))).toEqual([open({}, item), []])
    }
  })

  it.each(['not', 'if', 'contains', '$defs'])('leaves an open list as it is where more would be less: %s', (key) => {
    const open = { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'string' } }
    const schema = key === '$defs' ? { $defs: { open } } : { [key]: { properties: { open } } }
    expect(result(schema)).toEqual([schema, []])
    expect(result({ oneOf: [open, { type: 'null' }] })).toEqual([{ oneOf: [open, { type: 'null' }] }, []])
  })

  it.each([
    ...['^\\p{L}+$', '[\\P{L}]', '(?<year>\\d+)', '(?<=a+)b', '\\u{1f600}', '\\cA', '\\\\\\p{L}', 'a(b(?<!c))'],
    ...['^[^]*$', '[]', '^[^[a]+$', '[a&&b]', '^\\0$', '[\\b]', '[\\[\\b]'],
  ])('has no pattern that only some languages read: %s', (pattern) => {
    const said = expect.stringMatching(/^properties\.x\.pattern.* that clients in all languages read/)
    expect(result({ type: 'string', pattern })).toEqual([{ type: 'string' }, [said]])
    expect(result({ not: { pattern } })).toEqual([{}, [expect.any(String)]])
    expect(result({ patternProperties: { [pattern]: {} }, additionalProperties: { type: 'null' } })).toEqual([
      { patternProperties: {} },
      [expect.any(String)],
    ])
    expect(toInputSchema({ type: 'object', properties: { x: { pattern } } })).toMatchObject({
      schema: { properties: { x: {} } },
      problems: [said],
    })
  })

  it.each([
    ...[
      '^[a-z]+$',
      '\\\\p',
      '(?=x)(?!y)(?:z)',
      '\\u00e9|\\d\\w\\s',
      '\\(\\?<',
      '^$',
      '\\[\\]',
      '[\\]^]',
      '\\ba\\\\b[b&]',
      '[^\\[a]',
    ],
  ])('keeps a pattern that all of them read: %s', (pattern) => {
    expect(result({ type: 'string', pattern })).toEqual([{ type: 'string', pattern }, []])
  })

  it('has null as a type, and not as a word of one dialect', () => {
    expect(result({ type: 'string', nullable: true })).toEqual([{ type: ['string', 'null'] }, []])
    expect(result({ type: ['string', 'null'], nullable: true })).toEqual([{ type: ['string', 'null'] }, []])
    expect(result({ type: 'string', nullable: false })).toEqual([{ type: 'string' }, []])
    expect(toOutputSchema({ type: 'object', nullable: true })).toEqual({ schema: undefined, problems: [] })
  })

  it('has no steps of decimal fractions, of which validators find no multiples', () => {
    const why =
      'properties.x.multipleOf must be above zero and a multiple of 1/1024: of decimal fractions such as 0.01 clients find no multiples'
    expect(result({ type: 'number', multipleOf: 0.01 })).toEqual([{ type: 'number' }, [why]])
    for (const multipleOf of [0.25, 1, 60, 1e300]) {
      expect(result({ type: 'number', multipleOf })).toEqual([{ type: 'number', multipleOf }, []])
    }
    expect(result({ multipleOf: 0 })).toEqual([{}, [why]])
  })

  it('has the formats that validators know, and says nothing of others', () => {
    expect(result({ type: 'string', format: 'emoji', minLength: 1 })).toEqual([{ type: 'string', minLength: 1 }, []])
    expect(result({ type: 'string', format: 'date-time' })).toEqual([{ type: 'string', format: 'date-time' }, []])
    expect(result({ format: 7 })).toEqual([{}, ['properties.x.format must be a string']])
    const schema = { type: 'object', properties: { x: { format: 'emoji' } } }
    expect(toInputSchema(schema)).toMatchObject({ schema, problems: [] })
  })
})
