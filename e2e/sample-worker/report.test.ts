import { describe, expect, it } from 'vitest'
import type { Order } from './order.ts'
import { addOrder, createTally, Figures, toFigures } from './report.ts'
import { formatStatusPage } from './status-page.ts'

const orders = [
  createOrder({ customer: 'Grace', currency: 'USD', total: 700, created_at: '2026-01-03T10:00:00.000Z' }),
  createOrder({ customer: 'Ada', total: 1000 }),
  createOrder({ customer: 'Ada', total: 250, status: 'cancelled' }),
]

function createOrder(change: Partial<Order>): Order {
  return {
    id: 'ORD-7K2M9QX4TD',
    customer: 'Ada',
    currency: 'EUR',
    lines: [],
    total: 0,
    status: 'open',
    created_at: '2026-01-02T10:00:00.000Z',
    ...change,
  }
}

function createReport(of: readonly Order[]): Figures {
  const tally = createTally()
  for (const order of of) addOrder(tally, order)
  return toFigures(tally)
}

describe('a report', () => {
  it('keeps currencies apart, counts cancelled orders as such and sorts its groups', () => {
    expect(createReport(orders)).toEqual({
      orders: 3,
      totals: { USD: 700, EUR: 1250 },
      groups: [
        { by: 'status', key: 'cancelled', orders: 1, totals: { EUR: 250 } },
        { by: 'status', key: 'open', orders: 2, totals: { USD: 700, EUR: 1000 } },
        { by: 'customer', key: 'Ada', orders: 2, totals: { EUR: 1250 } },
        { by: 'customer', key: 'Grace', orders: 1, totals: { USD: 700 } },
        { by: 'day', key: '2026-01-02', orders: 2, totals: { EUR: 1250 } },
        { by: 'day', key: '2026-01-03', orders: 1, totals: { USD: 700 } },
      ],
    })
  })

  it.each(['status', 'customer', 'day'])('has groups of each %s that add up to all of it', (kind) => {
    const { groups, ...all } = createReport(orders)
    const sums = { orders: 0, totals: {} as Record<string, number> }
    for (const group of groups.filter(({ by }) => by === kind)) {
      sums.orders += group.orders
      for (const [currency, amount] of Object.entries(group.totals))
        sums.totals[currency] = (sums.totals[currency] ?? 0) + amount
    }
    expect(sums).toEqual(all)
  })

  it('does not depend on the order in which it is counted', () => {
    const { totals, ...groups } = createReport(orders)
    const { totals: reversedTotals, ...reversedGroups } = createReport(orders.toReversed())
    expect(reversedTotals).toEqual(totals)
    expect(reversedGroups).toEqual(groups)
  })

  it('of nothing is empty, and valid', () => {
    expect(createReport([])).toEqual({ orders: 0, totals: {}, groups: [] })
    expect(Figures.safeParse(createReport([])).success).toBe(true)
  })

  it('copes with a customer called like a property of every object', () => {
    expect(createReport([createOrder({ customer: '__proto__', total: 5 })]).groups).toContainEqual({
      by: 'customer',
      key: '__proto__',
      orders: 1,
      totals: { EUR: 5 },
    })
  })
})

describe('the status page', () => {
  it('shows the figures of the report', () => {
    const page = formatStatusPage(createReport(orders), new Date('2026-01-04T00:00:00Z'))
    expect(page).toContain('At 2026-01-04T00:00:00.000Z there are 3 orders.')
    expect(page).toContain('- open: 2\n- cancelled: 1\n')
    expect(page).toContain('- value of the open ones: 10.00 EUR')
    expect(page).toContain('- value of the open ones: 7.00 USD')
  })
})
