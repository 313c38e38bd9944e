import { z } from 'zod'

/**
 * What an order is, and what may be done to one. No engine in here: rules and shapes alone.
 *
 * Money is always an integer in the currency's minor unit (cents for EUR), never a float.
 */

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be a three-letter ISO 4217 code in upper case, such as EUR')
  .describe('ISO 4217 code, for example EUR')

const Customer = z.string().trim().min(1).max(200)

export const OrderId = z
  .string()
  .regex(/^ORD-[0-9A-HJKMNP-TV-Z]{10}$/, 'must look like ORD- and ten characters, for example ORD-7K2M9QX4TD')
  .describe('The order id, for example ORD-7K2M9QX4TD')

/** Reads an order id as people type it; undefined when it cannot be one. */
export function parseOrderId(text: string): string | undefined {
  return OrderId.safeParse(text.trim().toUpperCase()).data
}

const OrderLine = z.object({
  sku: z.string().trim().min(1).max(64).describe('Article number'),
  quantity: z.int().min(1).max(10_000).describe('Number of pieces'),
  unit_price: z.int().min(0).max(1_000_000_000).describe('Price of one piece in minor units (cents)'),
})

export const OrderStatus = z.enum(['open', 'cancelled'])

const Moment = z.string().describe('UTC, for example 2026-01-02T03:04:05.000Z')

/** One order as it lies in engine state, and as every function returns it. */
export const Order = z.object({
  id: OrderId,
  customer: Customer,
  currency: Currency,
  lines: z.array(OrderLine),
  total: z.int().min(0).describe('Sum of all lines in minor units (cents)'),
  status: OrderStatus,
  reference: z.string().optional(),
  created_at: Moment,
  cancelled_at: Moment.optional(),
  cancel_reason: z.string().optional(),
})
export type Order = z.infer<typeof Order>

export const NewOrder = z.object({
  customer: Customer.describe('Who ordered'),
  currency: Currency,
  lines: z.array(OrderLine).min(1).max(100).describe('What was ordered'),
  reference: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Your own number for this order. Sending the same order again with the same reference creates nothing new',
    ),
})
export type NewOrder = z.infer<typeof NewOrder>

export const OrderFilter = z.object({
  customer: z.string().trim().min(1).optional().describe('Only orders of this customer'),
  status: OrderStatus.optional().describe('Only orders in this state'),
})
export type OrderFilter = z.infer<typeof OrderFilter>

/** Makes an open order of what was asked for. `id` and `now` come from outside so that the result is decided by the input. */
export function toOrder(input: NewOrder, id: string, now: Date): Order {
  return {
    id,
    customer: input.customer,
    currency: input.currency,
    lines: input.lines,
    total: input.lines.reduce((sum, line) => sum + line.quantity * line.unit_price, 0),
    status: 'open',
    ...(input.reference === undefined ? {} : { reference: input.reference }),
    created_at: now.toISOString(),
  }
}

/** What becomes of an open order that is cancelled. */
export function toCancelled(order: Order, reason: string | undefined, now: Date): Order {
  return {
    ...order,
    status: 'cancelled',
    cancelled_at: now.toISOString(),
    ...(reason === undefined ? {} : { cancel_reason: reason }),
  }
}

/** Whether `order` is what `input` asks for: then repeating the request is harmless. */
export function isSameRequest(order: Order, input: NewOrder): boolean {
  return (
    order.customer === input.customer &&
    order.currency === input.currency &&
    order.lines.length === input.lines.length &&
    order.lines.every((line, index) => {
      const other = input.lines[index]
      return line.sku === other?.sku && line.quantity === other.quantity && line.unit_price === other.unit_price
    })
  )
}

/**
 * Writes an amount for people: `formatMoney(123450, 'EUR')` is `1234.50 EUR`, `formatMoney(500, 'JPY')` is `500 JPY`.
 *
 * @param amount in minor units.
 */
export function formatMoney(amount: number, currency: string): string {
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  const sign = amount < 0 ? '-' : ''
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return digits === 0 ? `${sign}${whole} ${currency}` : `${sign}${whole}.${text.slice(-digits)} ${currency}`
}
