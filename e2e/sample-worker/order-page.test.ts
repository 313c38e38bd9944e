import { describe, expect, it } from 'vitest'
import type { Order } from './order.ts'
import { formatFilter, matchesFilter, OrderFilter, OrderReport, requireKnownCustomer } from './order-filter.ts'
import { PageRequest, toOrderPage } from './order-page.ts'

function createOrder(id: string, created_at: string, cancelled_at?: string): Order {
  const base = { customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price: 5 }], total: 5 }
  const status = cancelled_at === undefined ? { status: 'open' } : { status: 'cancelled', cancelled_at }
  return { id, ...base, created_at, ...status }
}

const orders = [
  createOrder('A', '2026-01-01T00:00:00.000Z', '2026-01-09T00:00:00.000Z'),
  createOrder('B', '2026-01-02T00:00:00.000Z', '2026-01-08T00:00:00.000Z'),
  createOrder('D', '2026-01-03T23:59:59.999Z'),
  createOrder('C', '2026-01-03T23:59:59.999Z'),
]
const list = (request: object, of = orders) => toOrderPage(of, PageRequest.parse(request))
const ids = (page: { orders: { id: string }[] }) => page.orders.map(({ id }) => id).join('')

describe('a list of orders', () => {
  it('is newest first, in short rows', () => {
    expect(ids(list({}))).toBe('CDBA')
    expect(list({ limit: 4 })).not.toHaveProperty('next_cursor')
    expect(list({}).orders[0]).not.toHaveProperty('lines')
  })

  it('by cancelled_at has the order that was cancelled last in front, and no open ones', () => {
    expect(list({ sort: 'cancelled_at' })).toMatchObject({ total: 2, orders: [{ id: 'A' }, { id: 'B' }] })
  })

  it('goes on behind what was shown, whatever came or went meanwhile', () => {
    const first = list({ limit: 2 })
    expect(first).toMatchObject({ total: 4, next_cursor: '2026-01-03T23:59:59.999Z/D' })
    const later = [createOrder('E', '2026-01-05T00:00:00.000Z'), ...orders.filter(({ id }) => id !== 'D')]
    const second = list({ limit: 2, cursor: first.next_cursor }, later)
    expect(ids(second)).toBe('BA')
    expect(second).not.toHaveProperty('next_cursor')
  })

  it.each(['', 'x', 'x/y', '2026-01-03T00:00:00Z/A/B'])('has no page behind %j', (cursor) => {
    expect(() => list({ cursor })).toThrow('cursor: must be the next_cursor of a page')
  })
})

describe('a filter', () => {
  it('knows days in UTC, both included', () => {
    const shown = orders.filter((order) => matchesFilter(order, { from: '2026-01-02', to: '2026-01-03' }))
    expect(shown.map(({ id }) => id).join('')).toBe('BDC')
  })

  it.each(['2026-02-30', '2026-1-1', 'today', '2026-01-01T00:00:00Z'])('takes no %j for a day', (from) => {
    expect(OrderFilter.safeParse({ from }).error?.issues[0]?.message).toBe('must be a day, such as 2026-01-31')
  })

  it.each([OrderReport, PageRequest])('ends no earlier than it begins', (schema) => {
    const reversed = { from: '2026-11-30', to: '2026-11-01' }
    expect(schema.safeParse(reversed).error?.issues).toMatchObject([
      { path: ['to'], message: 'must not be before from' },
    ])
    expect(schema.safeParse({ from: '2026-11-01', to: '2026-11-01' }).success).toBe(true)
  })

  it('asks no open orders for the moment when they were cancelled', () => {
    expect(PageRequest.safeParse({ sort: 'cancelled_at', status: 'open' }).error?.issues).toMatchObject([
      { path: ['sort'], message: 'open orders have no cancelled_at: leave status or sort out' },
    ])
    expect(PageRequest.safeParse({ sort: 'cancelled_at', status: 'cancelled' }).success).toBe(true)
  })

  it('refuses a customer that no order names, with the nearest that one does', () => {
    expect(() => requireKnownCustomer(orders, {})).not.toThrow()
    const named = orders.map((order) => ({ ...order, customer: 'Ada Lovelace' }))
    expect(() => requireKnownCustomer(named, { customer: 'Ada Lovelace' })).not.toThrow()
    expect(() => requireKnownCustomer(named, { customer: 'ada' })).toThrow(
      'No order of ada; customers are compared letter by letter. Did you mean Ada Lovelace? orders__list without customer shows who there is',
    )
  })

  it.each([
    [{}, 'open and cancelled orders of all days (UTC)'],
    [{ from: '2026-01-01', status: 'open' as const }, 'open orders created from 2026-01-01 (UTC)'],
    [
      { customer: 'Ada', from: '2026-01-01', to: '2026-01-31' },
      'open and cancelled orders of Ada created from 2026-01-01 up to 2026-01-31 (UTC)',
    ],
  ])('%j is put in words', (filter, words) => {
    expect(formatFilter(filter)).toBe(words)
  })
})
