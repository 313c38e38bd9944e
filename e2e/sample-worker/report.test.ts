import { describe, expect, it } from 'vitest'
import type { Order } from './order.ts'
import { addOrder, createTally, Report, toReport } from './report.ts'
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

function createReport(of: readonly Order[]): Report {
  const tally = createTally()
  for (const order of of) addOrder(tally, order)
  return toReport(tally)
}

describe('a report', () => {
  it('keeps currencies apart, leaves cancelled money out and sorts its groups', () => {
    expect(createReport(orders)).toEqual({
      orders: 3,
      totals: { USD: 700, EUR: 1000 },
      by_status: [
        { key: 'cancelled', orders: 1, totals: { EUR: 250 } },
        { key: 'open', orders: 2, totals: { USD: 700, EUR: 1000 } },
      ],
      by_customer: [
        { key: 'Ada', orders: 2, totals: { EUR: 1000 } },
        { key: 'Grace', orders: 1, totals: { USD: 700 } },
      ],
      by_day: [
        { key: '2026-01-02', orders: 2, totals: { EUR: 1000 } },
        { key: '2026-01-03', orders: 1, totals: { USD: 700 } },
      ],
    })
  })

  it('does not depend on the order in which it is counted', () => {
    const { totals, ...groups } = createReport(orders)
    const { totals: reversedTotals, ...reversedGroups } = createReport(orders.toReversed())
    expect(reversedTotals).toEqual(totals)
    expect(reversedGroups).toEqual(groups)
  })

  it('of nothing is empty, and valid', () => {
    expect(createReport([])).toEqual({ orders: 0, totals: {}, by_status: [], by_customer: [], by_day: [] })
    expect(Report.safeParse(createReport([])).success).toBe(true)
  })

  it('copes with a customer called like a property of every object', () => {
    expect(createReport([createOrder({ customer: '__proto__', total: 5 })]).by_customer).toEqual([
      { key: '__proto__', orders: 1, totals: { EUR: 5 } },
    ])
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
