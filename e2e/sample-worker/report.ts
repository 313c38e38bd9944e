import { z } from 'zod'
import type { OrderRow } from './order.ts'
import { toDay } from './order-filter.ts'

/** Money per currency in minor units: amounts of different currencies are never added up. */
const Totals = z.record(z.string(), z.int())

/** How many orders, and what they are worth. */
export const Sums = z.object({ orders: z.int(), totals: Totals })
export type Sums = z.infer<typeof Sums>

const Group = Sums.extend({ by: z.enum(['status', 'customer', 'day']), key: z.string() })
type Group = z.infer<typeof Group>

/** Figures over many orders. The groups of each `by` add up to `orders` and `totals`: every order is in one of them. */
export const Figures = Sums.extend({ groups: z.array(Group) })
export type Figures = z.infer<typeof Figures>

type By = Group['by']

/** Figures that are still being counted. */
export interface Tally {
  readonly all: Count
  readonly groups: Readonly<Record<By, Map<string, Count>>>
}

interface Count {
  orders: number
  totals: Map<string, number>
}

export function createTally(): Tally {
  return { all: createCount(), groups: { status: new Map(), customer: new Map(), day: new Map() } }
}

/** Counts one order in. */
export function addOrder({ all, groups }: Tally, order: OrderRow): void {
  addTo(all, order)
  addTo(countOf(groups.status, order.status), order)
  addTo(countOf(groups.customer, order.customer), order)
  addTo(countOf(groups.day, toDay(order.created_at)), order)
}

/** The finished figures. Groups are sorted by key, so that two reports can be compared line by line. */
export function toFigures({ all, groups: { status, customer, day } }: Tally): Figures {
  return {
    ...toSums(all),
    groups: [...toGroups('status', status), ...toGroups('customer', customer), ...toGroups('day', day)],
  }
}

/** What these orders come to together. */
export function sumUp(orders: readonly Priced[]): Sums {
  const count = createCount()
  for (const order of orders) addTo(count, order)
  return toSums(count)
}

function createCount(): Count {
  return { orders: 0, totals: new Map() }
}

function countOf(counts: Map<string, Count>, key: string): Count {
  const count = counts.get(key) ?? createCount()
  counts.set(key, count)
  return count
}

type Priced = Pick<OrderRow, 'currency' | 'total'>

function addTo(count: Count, { currency, total }: Priced): void {
  count.orders += 1
  count.totals.set(currency, (count.totals.get(currency) ?? 0) + total)
}

function toSums({ orders, totals }: Count): Sums {
  return { orders, totals: Object.fromEntries(totals) }
}

function toGroups(by: By, counts: Map<string, Count>): Group[] {
  const groups = [...counts].map(([key, count]) => ({ by, key, ...toSums(count) }))
  return groups.sort((a, b) => (a.key < b.key ? -1 : 1))
}
