import { describe, expect, it } from 'vitest'
import { formatMoney, isSameRequest, NewOrder, Order, OrderId, parseOrderId, toOrder } from './order.ts'
import { createOrderId, toOrderId } from './order-id.ts'

const input = NewOrder.parse({
  customer: ' Ada ',
  currency: 'EUR',
  lines: [
    { sku: 'TEA', quantity: 3, unit_price: 450 },
    { sku: 'CUP', quantity: 1, unit_price: 1299 },
  ],
})
const order = toOrder(input, 'ORD-7K2M9QX4TD', new Date('2026-01-02T03:04:05Z'))

describe('a new order', () => {
  it('is open, has the sum of its lines as total, and is a valid order', () => {
    expect(order).toMatchObject({
      customer: 'Ada',
      total: 2649,
      status: 'open',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    expect(Order.parse(order)).toEqual(order)
  })

  it('keeps the largest possible total exact', () => {
    const lines = Array.from({ length: 100 }, () => ({ sku: 'X', quantity: 10_000, unit_price: 1_000_000_000 }))
    const { total } = toOrder(NewOrder.parse({ ...input, lines }), 'ORD-7K2M9QX4TD', new Date())
    expect(Number.isSafeInteger(total)).toBe(true)
    expect(BigInt(total)).toBe(100n * 10_000n * 1_000_000_000n)
  })

  it.each([
    ['no customer', { customer: '  ' }],
    ['a currency in words', { currency: 'Euro' }],
    ['no lines', { lines: [] }],
    ['a price with decimals', { lines: [{ sku: 'TEA', quantity: 1, unit_price: 4.5 }] }],
    ['a negative price', { lines: [{ sku: 'TEA', quantity: 1, unit_price: -1 }] }],
    ['no pieces', { lines: [{ sku: 'TEA', quantity: 0, unit_price: 1 }] }],
    ['a nameless article', { lines: [{ sku: '', quantity: 1, unit_price: 1 }] }],
  ])('is refused with %s', (_what, change) => {
    expect(NewOrder.safeParse({ ...input, ...change }).success).toBe(false)
  })
})

describe('the same request', () => {
  it('is one that asks for what the order holds', () => {
    expect(isSameRequest(order, input)).toBe(true)
  })

  it.each([
    ['customer', { customer: 'Grace' }],
    ['currency', { currency: 'USD' }],
    ['number of lines', { lines: input.lines.slice(1) }],
    ['line', { lines: [...input.lines.slice(1), { sku: 'TEA', quantity: 4, unit_price: 450 }] }],
  ])('is not one with another %s', (_what, change) => {
    expect(isSameRequest(order, { ...input, ...change })).toBe(false)
  })
})

describe('order ids', () => {
  it('are valid and differ from each other', () => {
    const ids = Array.from({ length: 1000 }, createOrderId)
    expect(ids.every((id) => OrderId.safeParse(id).success)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ['ORD-7K2M9QX4TD', 'ORD-7K2M9QX4TD'],
    [' ord-7k2m9qx4td\n', 'ORD-7K2M9QX4TD'],
    ['ORD-7K2M9QX4T', undefined],
    ['ORD-ILOU000000', undefined],
    ['', undefined],
  ])('are read as people type them: %j', (text, id) => {
    expect(parseOrderId(text)).toBe(id)
  })

  it('are decided by customer and reference where there is one', () => {
    expect(toOrderId('Ada', 'po-1')).toBe(toOrderId('Ada', 'po-1'))
    expect(toOrderId('Ada', 'po-1')).not.toBe(toOrderId('Ada', 'po-2'))
    expect(toOrderId('Ada', 'po-1')).not.toBe(toOrderId('Grace', 'po-1'))
    expect(OrderId.safeParse(toOrderId('Ada', 'po-1')).success).toBe(true)
  })
})

describe('money', () => {
  it.each([
    [0, 'EUR', '0.00 EUR'],
    [5, 'EUR', '0.05 EUR'],
    [123450, 'EUR', '1234.50 EUR'],
    [-5, 'EUR', '-0.05 EUR'],
    [500, 'JPY', '500 JPY'],
    [1234, 'KWD', '1.234 KWD'],
  ])('%d of %s reads %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency)).toBe(text)
  })
})
