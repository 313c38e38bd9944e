import { z } from 'zod'
import { formatMoney, type Order } from './order.ts'

/** Arguments of the prompt. They come from a person's keyboard, so every text is welcome: an order that does not exist is an answer, not an error. */
export const RefundArguments = z.object({
  order_id: z.string().default(''),
  reason: z.string().default(''),
})
export type RefundArguments = z.infer<typeof RefundArguments>

/** How much of what was typed is repeated, in characters. */
const MAX_ID = 100
const MAX_REASON = 500

export const RefundPrompt = z.object({ content: z.string() })

/** What the model is told to do about a refund: for an order that can be refunded, one that cannot, and one that is not there. */
export function formatRefundPrompt(input: RefundArguments, order: Order | undefined): string {
  if (order === undefined) return formatUnknown(cut(toOneLine(input.order_id), MAX_ID))
  if (order.status === 'cancelled') return formatCancelled(order)
  const given = cut(input.reason.trim(), MAX_REASON)
  const reason = given ? `The customer's reason: ${given}` : 'The customer gave no reason; ask for one first.'
  return [
    `Refund order ${order.id} of ${order.customer}, placed at ${order.created_at}.`,
    '',
    ...order.lines.map((line) => `- ${line.quantity} × ${line.sku} at ${formatMoney(line.unit_price, order.currency)}`),
    '',
    `Amount to refund: ${formatMoney(order.total, order.currency)}.`,
    reason,
    '',
    'Read iii://orders/refunds for the rules. If they allow it, cancel the order with the tool orders__cancel, passing the',
    'reason on, and then write the customer a short and friendly confirmation that names the amount.',
  ].join('\n')
}

function formatUnknown(orderId: string): string {
  return [
    orderId === '' ? 'No order was named.' : `There is no order ${orderId}.`,
    '',
    'Do not refund anything. Tell the user so, show the most recent orders of the customer with the tool orders__list,',
    'and ask which one is meant.',
  ].join('\n')
}

function formatCancelled(order: Order): string {
  return [
    `Order ${order.id} of ${order.customer} was cancelled at ${order.cancelled_at}; nothing is left to refund.`,
    '',
    'Tell the user so, and give the reason that was noted then:',
    order.cancel_reason ?? '(none was noted)',
  ].join('\n')
}

/** Text without line breaks and other characters that do not show. */
function toOneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim()
}

/** The first `max` characters; what was left out shows as `…`. */
function cut(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : characters.join('')
}
