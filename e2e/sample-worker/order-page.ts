import { Fault } from '@iii/protocol'
import { z } from 'zod'
import { type Order, OrderRow, toRow } from './order.ts'
import { OrderFilter, withDaysInOrder } from './order-filter.ts'

/** Lists of orders, newest first, a page at a time. */

const Sort = z.enum(['created_at', 'cancelled_at'])
type Sort = z.infer<typeof Sort>

export const PageRequest = withDaysInOrder(
  OrderFilter.extend({
    sort: Sort.default('created_at').describe('cancelled_at lists cancelled orders alone'),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().optional().describe('next_cursor of the page before'),
  }),
).refine(({ sort, status }) => sort !== 'cancelled_at' || status !== 'open', {
  path: ['sort'],
  error: 'open orders have no cancelled_at: leave status or sort out',
})
export type PageRequest = z.infer<typeof PageRequest>

export const OrderPage = z.object({
  orders: z.array(OrderRow),
  total: z.int(),
  next_cursor: z.string().optional(),
})
export type OrderPage = z.infer<typeof OrderPage>

/** The orders that `sort` knows, newest first. */
export function toSorted(orders: readonly Order[], sort: Sort): Order[] {
  return orders
    .filter((order) => order[sort] !== undefined)
    .map((order) => ({ order, place: toPlace(order, sort) }))
    .sort((a, b) => compare(a.place, b.place))
    .map(({ order }) => order)
}

/**
 * One page. The cursor is the place of the last order that was shown: orders that come or go meanwhile move no other one from page to page.
 *
 * @throws Fault for a cursor that no page gave
 */
export function toOrderPage(orders: readonly Order[], { sort, limit, cursor }: PageRequest): OrderPage {
  const all = toSorted(orders, sort)
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const rest = after === undefined ? all : all.filter((order) => compare(toPlace(order, sort), after) > 0)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  return {
    orders: shown.map(toRow),
    total: all.length,
    ...(last !== undefined && rest.length > limit ? { next_cursor: toPlace(last, sort).join('/') } : {}),
  }
}

/** When, and which of those of one moment. */
type Place = readonly [moment: string, id: string]

function toPlace(order: Order, sort: Sort): Place {
  return [order[sort] ?? '', order.id]
}

function compare([moment, id]: Place, [otherMoment, otherId]: Place): number {
  return otherMoment.localeCompare(moment) || id.localeCompare(otherId)
}

function parseCursor(text: string): Place {
  const [moment = '', id, ...more] = text.split('/')
  if (id !== undefined && more.length === 0 && Number.isFinite(Date.parse(moment))) return [moment, id]
  throw new Fault('invalid_input', 'cursor: must be the next_cursor of a page, with the same filter and sort')
}
