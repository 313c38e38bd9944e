import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsSchema } from './output-check.ts'

const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    tags: { type: 'array', items: { type: ['string', 'null'] } },
    more: { type: 'object', required: ['x'], properties: { x: true } },
  },
}

describe('the data of a result', () => {
  it.each([
    [{ id: 1 }, true],
    [{ id: 1, tags: ['a', null], more: { x: 1 }, other: {} }, true],
    [undefined, false],
    [[], false],
    [{}, false],
    [{ id: 1.5 }, false],
    [{ id: '1' }, false],
    [{ id: 1, tags: [1] }, false],
    [{ id: 1, more: {} }, false],
    [{ id: 1, more: null }, false],
  ])('%j fits its schema: %s', (data, fits) => {
    expect(fitsSchema(schema, data)).toBe(fits)
  })

  it('fits whatever a schema says that is not looked at', () => {
    expect(fitsSchema({ type: 'object', properties: { a: { pattern: '(a+)+$', anyOf: [] } } }, { a: 'a' })).toBe(true)
  })

  it('is compared in bounded time, and nothing is ever thrown', () => {
    const json = fc.json().map((text) => JSON.parse(text) as Record<string, unknown>)
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(typeof fitsSchema(one, other)).toBe('boolean')
      }),
    )
    const items: Record<string, unknown> = { type: 'array' }
    items['items'] = items
    const wide = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => []))
    expect(fitsSchema(items, wide)).toBe(true)
  })
})
