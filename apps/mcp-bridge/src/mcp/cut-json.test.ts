import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutJson } from './cut-json.ts'

const orders = Array.from({ length: 200 }, (_, nth) => ({
  id: `ORD-${nth}`,
  lines: [{ sku: 'TEA, "[{' }, { sku: 'é' }],
}))

describe('JSON that is too long', () => {
  it.each([
    ['a list', orders, (cut: unknown) => cut as unknown[]],
    ['a list in an object', { orders, total: 200 }, (cut: unknown) => (cut as { orders: unknown[] }).orders],
    [
      'a list further inside',
      { page: { orders } },
      (cut: unknown) => (cut as { page: { orders: unknown[] } }).page.orders,
    ],
  ])('is cut between elements: %s', (_, value, read) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const cut = cutJson(text, 4_000) ?? ''
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_000)
      const shown = read(JSON.parse(cut))
      expect(shown.length).toBeGreaterThan(20)
      expect(shown).toEqual(orders.slice(0, shown.length))
    }
  })

  it('is cut between the members of an object that has no list to cut', () => {
    const value = Object.fromEntries(orders.map((order) => [order.id, order.id.repeat(10)]))
    const cut = JSON.parse(cutJson(JSON.stringify(value), 2_000) ?? '') as object
    expect(value).toMatchObject(cut)
    expect(Object.keys(cut).length).toBeGreaterThan(5)
  })

  it.each([
    ['a text', '"x"'.padEnd(900)],
    ['what only looks like JSON', '[link](iii://orders) and more'.repeat(50)],
    ['a key that is too long', JSON.stringify({ ['x'.repeat(900)]: 1 })],
    ['nests', '['.repeat(900) + ']'.repeat(900)],
  ])('is not cut like that where it is %s', (_, text) => {
    expect(cutJson(text, 500)).toBeUndefined()
  })

  it.each([
    ['alone', { text: 'é"'.repeat(2_000) }],
    ['behind what is short', { address: 'https://example.com', status: 200, text: '\\ é 😀\n'.repeat(900) }],
    ['further inside', { id: 7, page: { texts: ['\u0001'.repeat(900)] } }],
  ])('is cut inside of the text that it is about: %s', (_, value) => {
    for (let max = 900; max < 920; max += 1) {
      const cut = cutJson(JSON.stringify(value), max) ?? ''
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max)
      expect(Buffer.byteLength(cut)).toBeGreaterThan(600)
      const shown = JSON.stringify(JSON.parse(cut))
      expect(JSON.stringify(value).startsWith(shown.slice(0, shown.lastIndexOf('…')))).toBe(true)
    }
  })

  it('has no element of a list that is cut', () => {
    const value = { rows: [{ id: 1 }, { id: 2, text: 'x'.repeat(2_000) }] }
    expect(JSON.parse(cutJson(JSON.stringify(value), 900) ?? '')).toEqual({ rows: [{ id: 1 }] })
  })

  it('is JSON and no longer than it may be, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 257, max: 400 }), (value, max) => {
        for (const whole of [[value, orders], { value, long: 'x'.repeat(400) }]) {
          const cut = cutJson(JSON.stringify(whole), max)
          if (cut === undefined) continue
          expect(() => JSON.parse(cut) as unknown).not.toThrow()
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})
