import { Fault } from '@iii/protocol'
import { findNearestFew, suggestNames } from '@iii/sdk'
import { z } from 'zod'
import { type Order, OrderStatus } from './order.ts'

/** Which orders a list or a report is about. */

/** So many customers are told in place of one that is not there. */
const MAX_TOLD = 3

const Day = z.string().refine(isDay, 'must be a day, such as 2026-01-31')

export const OrderFilter = z.object({
  customer: z.string().trim().min(1).optional(),
  status: OrderStatus.optional(),
  from: Day.optional().describe('Day of created_at (UTC): 2026-01-31'),
  to: Day.optional().describe('Included'),
})
export type OrderFilter = z.infer<typeof OrderFilter>

/** What asks for orders, with days in their order: no order is between the others, and that would read as if there was none. */
export function withDaysInOrder<T extends z.ZodType<Pick<OrderFilter, 'from' | 'to'>>>(schema: T): T {
  const isInOrder = ({ from, to }: z.infer<T>) => from === undefined || to === undefined || from <= to
  return schema.refine(isInOrder, { path: ['to'], error: 'must not be before from' })
}

export const OrderReport = withDaysInOrder(OrderFilter)

export function matchesFilter(order: Order, { customer, status, from, to }: OrderFilter): boolean {
  const day = toDay(order.created_at)
  return (
    (customer === undefined || order.customer === customer) &&
    (status === undefined || order.status === status) &&
    (from === undefined || day >= from) &&
    (to === undefined || day <= to)
  )
}

/** @throws Fault for a customer that no order names: nothing would be read as a customer who has ordered nothing. */
export function requireKnownCustomer(orders: readonly Order[], { customer }: OrderFilter): void {
  if (customer === undefined || orders.some((order) => order.customer === customer)) return
  const nearest = findNearestFew(customer, new Set(orders.map((order) => order.customer)), MAX_TOLD)
  const advice = suggestNames(nearest, 'orders__list without customer shows who there is')
  throw new Fault('not_found', `No order of ${customer}; customers are compared letter by letter${advice}`)
}

/** Says in words which orders a filter lets through. */
export function formatFilter({ customer, status, from, to }: OrderFilter): string {
  return [
    status === undefined ? 'open and cancelled orders' : `${status} orders`,
    ...(customer === undefined ? [] : [`of ${customer}`]),
    ...(from === undefined && to === undefined ? ['of all days'] : ['created']),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`up to ${to}`]),
    '(UTC)',
  ].join(' ')
}

/** The day of a moment, in UTC as all moments are. */
export function toDay(moment: string): string {
  return moment.slice(0, 'YYYY-MM-DD'.length)
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(time) && toDay(new Date(time).toISOString()) === text
}
