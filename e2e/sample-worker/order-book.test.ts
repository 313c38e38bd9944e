import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrderBook, type OrderBook } from './order-book.ts'

const ada = { customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price: 450 }] }

describe('the order book, asked many things at once', () => {
  let book: OrderBook
  let close: () => Promise<void>

  beforeAll(async () => {
    const engine = await startMockEngine()
    const worker = registerWorker(engine.url, { name: 'orders' })
    await worker.ready({ timeoutMs: 5000 })
    book = createOrderBook(worker)
    close = async () => {
      await worker.shutdown()
      await engine.close()
    }
  })
  afterAll(() => close())

  it('makes one order of one reference, and tells everybody who wants a different one', async () => {
    const wishes = Array.from({ length: 8 }, (_none, index) => ({
      ...ada,
      reference: 'po-1',
      lines: [{ sku: 'TEA', quantity: 1 + (index % 2), unit_price: 450 }],
    }))
    const results = await Promise.allSettled(wishes.map((wish) => book.create(wish)))
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    expect(made).toHaveLength(4)
    expect(new Set(made.map((order) => JSON.stringify(order))).size).toBe(1)
    expect(refused).toHaveLength(4)
    for (const reason of refused) expect(reason).toMatchObject({ code: 'conflict' })
    expect(await book.get(made[0]?.id ?? '')).toEqual(made[0])
    expect(await book.list({})).toHaveLength(1)
  })

  it('cancels an order once, with the reason that was given first', async () => {
    const { id } = await book.create(ada)
    const reasons = ['cold', 'late', 'wrong']
    const results = await Promise.all(reasons.map((reason) => book.cancel(id, reason)))
    expect(results.map(({ changed }) => changed)).toEqual([true, false, false])
    for (const { order } of results) expect(order).toMatchObject({ status: 'cancelled', cancel_reason: 'cold' })
  })
})
