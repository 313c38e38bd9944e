import { z } from 'zod'
import type { Order } from './order.ts'

const Totals = z
  .record(z.string(), z.int())
  .describe('Money per currency in minor units: amounts of different currencies are never added up')

const Group = z.object({ key: z.string(), orders: z.int(), totals: Totals })
type Group = z.infer<typeof Group>

/** Figures over many orders. `totals` counts open orders only: a cancelled one earns nothing. */
export const Report = z.object({
  orders: z.int(),
  totals: Totals,
  by_status: z.array(Group),
  by_customer: z.array(Group),
  by_day: z.array(Group),
})
export type Report = z.infer<typeof Report>

/** A report that is still being counted. */
export interface Tally {
  orders: number
  totals: Map<string, number>
  byStatus: Map<string, Count>
  byCustomer: Map<string, Count>
  byDay: Map<string, Count>
}

interface Count {
  orders: number
  totals: Map<string, number>
}

export function createTally(): Tally {
  return { orders: 0, totals: new Map(), byStatus: new Map(), byCustomer: new Map(), byDay: new Map() }
}

/** Counts one order in. */
export function addOrder(tally: Tally, order: Order): void {
  tally.orders += 1
  const earned = order.status === 'open' ? order.total : 0
  addMoney(tally.totals, order.currency, earned)
  addTo(tally.byStatus, order.status, order.currency, order.total)
  addTo(tally.byCustomer, order.customer, order.currency, earned)
  addTo(tally.byDay, order.created_at.slice(0, 'YYYY-MM-DD'.length), order.currency, earned)
}

/** The finished figures. Groups are sorted by key, so that two reports can be compared line by line. */
export function toReport(tally: Tally): Report {
  return {
    orders: tally.orders,
    totals: Object.fromEntries(tally.totals),
    by_status: toGroups(tally.byStatus),
    by_customer: toGroups(tally.byCustomer),
    by_day: toGroups(tally.byDay),
  }
}

function addTo(counts: Map<string, Count>, key: string, currency: string, amount: number): void {
  const count = counts.get(key) ?? { orders: 0, totals: new Map() }
  count.orders += 1
  addMoney(count.totals, currency, amount)
  counts.set(key, count)
}

function addMoney(totals: Map<string, number>, currency: string, amount: number): void {
  totals.set(currency, (totals.get(currency) ?? 0) + amount)
}

function toGroups(counts: Map<string, Count>): Group[] {
  return [...counts]
    .map(([key, count]) => ({ key, orders: count.orders, totals: Object.fromEntries(count.totals) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
