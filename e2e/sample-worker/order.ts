import { z } from 'zod'

/**
 * What an order is, and what may be done to one. No engine in here: rules and shapes alone.
 *
 * Money is always an integer in the currency's minor unit (cents for EUR), never a float.
 */

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be a three-letter ISO 4217 code in upper case, such as EUR')
  .describe('ISO 4217, such as EUR')

const Customer = z.string().trim().min(1).max(200)

export const OrderId = z
  .string()
  .regex(/^ORD-[0-9A-HJKMNP-TV-Z]{10}$/, 'must look like ORD- and ten characters, for example ORD-7K2M9QX4TD')
  .describe('For example ORD-7K2M9QX4TD')

/** Reads an order id as people type it; undefined when it cannot be one. */
export function parseOrderId(text: string): string | undefined {
  return OrderId.safeParse(text.trim().toUpperCase()).data
}

const OrderLine = z.object({
  sku: z.string().trim().min(1).max(64),
  quantity: z.int().min(1).max(10_000),
  unit_price: z.int().min(0).max(1_000_000_000).describe('In minor units (cents)'),
})

export const OrderStatus = z.enum(['open', 'cancelled'])

/**
 * One order as it lies in engine state. What goes out is only described: a model reads these shapes with every list of tools, and what a
 * field may hold was checked when it came in.
 */
export const Order = z.object({
  id: z.string(),
  customer: z.string(),
  currency: z.string(),
  lines: z.array(z.object({ sku: z.string(), quantity: z.int(), unit_price: z.int() })),
  total: z.int(),
  status: z.string(),
  reference: z.string().optional(),
  created_at: z.string(),
  cancelled_at: z.string().optional(),
  cancel_reason: z.string().optional(),
})
export type Order = z.infer<typeof Order>

/** An order in a list: who wants the whole looks it up. */
export const OrderRow = Order.omit({ lines: true, reference: true, cancel_reason: true })
export type OrderRow = z.infer<typeof OrderRow>

/** What whoever placed an order does not know yet. */
export const Receipt = Order.pick({ id: true, total: true, currency: true, status: true })
export type Receipt = z.infer<typeof Receipt>

export const NewOrder = z.object({
  customer: Customer,
  currency: Currency,
  lines: z.array(OrderLine).min(1).max(100),
  reference: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Your own number: sending the same again with it creates nothing new'),
})
export type NewOrder = z.infer<typeof NewOrder>

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

export function toRow({ lines: _lines, reference: _reference, cancel_reason: _reason, ...row }: Order): OrderRow {
  return row
}

export function toReceipt({ id, total, currency, status }: Order): Receipt {
  return { id, total, currency, status }
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
