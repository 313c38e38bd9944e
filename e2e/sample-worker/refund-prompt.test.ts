import { describe, expect, it } from 'vitest'
import type { Order } from './order.ts'
import { formatRefundPrompt, RefundArguments } from './refund-prompt.ts'

const order: Order = {
  id: 'ORD-7K2M9QX4TD',
  customer: 'Ada',
  currency: 'EUR',
  lines: [{ sku: 'TEA', quantity: 3, unit_price: 450 }],
  total: 1350,
  status: 'open',
  created_at: '2026-01-02T10:00:00.000Z',
}

describe('the refund prompt', () => {
  it('names the order, its lines, the amount and the reason', () => {
    const text = formatRefundPrompt({ order_id: order.id, reason: 'The tea was cold' }, order)
    expect(text).toContain('Refund order ORD-7K2M9QX4TD of Ada')
    expect(text).toContain('- 3 × TEA at 4.50 EUR')
    expect(text).toContain('Amount to refund: 13.50 EUR.')
    expect(text).toContain("The customer's reason: The tea was cold")
  })

  it.each([undefined, ''])('tells the model to ask when the reason is %j', (reason) => {
    expect(formatRefundPrompt(RefundArguments.parse({ order_id: order.id, reason }), order)).toContain(
      'ask for one first',
    )
  })

  it('says so when there is no such order', () => {
    const text = formatRefundPrompt({ order_id: 'ORD-0000000000', reason: '' }, undefined)
    expect(text).toContain('There is no order ORD-0000000000.')
    expect(text).toContain('Do not refund anything.')
  })

  it.each([
    ['nothing', undefined, 'No order was named.'],
    ['no text', '', 'No order was named.'],
    ['blanks', ' \t\n', 'No order was named.'],
    ['control characters alone', '\u0000\u001b', 'No order was named.'],
    ['control characters', 'ORD\u0000\u001b[2J\n7', 'There is no order ORD [2J 7.'],
    ['another alphabet', 'заказ 7 👍', 'There is no order заказ 7 👍.'],
    ['a long text', '👍'.repeat(101), `There is no order ${'👍'.repeat(100)}….`],
    ['half a character', '\ud83d', 'No order was named.'],
  ])('is there for an order id of %s', (_what, order_id, line) => {
    const text = formatRefundPrompt(RefundArguments.parse({ order_id }), undefined)
    expect(text.split('\n')[0]).toBe(line)
    expect(text).toContain('Do not refund anything.')
  })

  it('repeats no more than 500 characters of a reason', () => {
    const text = formatRefundPrompt({ order_id: order.id, reason: ` ${'x'.repeat(600)}` }, order)
    expect(text).toContain(`The customer's reason: ${'x'.repeat(500)}…\n`)
  })

  it('offers no money for an order that is cancelled', () => {
    const cancelled: Order = {
      ...order,
      status: 'cancelled',
      cancelled_at: '2026-01-03T00:00:00.000Z',
      cancel_reason: 'Too late',
    }
    const text = formatRefundPrompt({ order_id: order.id, reason: '' }, cancelled)
    expect(text).toContain('was cancelled at 2026-01-03T00:00:00.000Z')
    expect(text).toContain('Too late')
    expect(text).not.toContain('13.50')
  })
})
