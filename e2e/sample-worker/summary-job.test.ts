import { startMockEngine } from '@iii/mock-engine'
import { registerWorker, type Worker } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrderBook } from './order-book.ts'
import { serveSummary } from './summary-job.ts'

let worker: Worker
let close: () => Promise<void>

beforeAll(async () => {
  const engine = await startMockEngine()
  worker = registerWorker(engine.url, { name: 'orders' })
  const book = createOrderBook(worker, () => new Date('2026-01-02T10:00:00Z'))
  serveSummary(worker, book, {})
  await worker.ready({ timeoutMs: 5000 })
  await book.create({ customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 2, unit_price: 450 }] })
  close = async () => {
    await worker.shutdown()
    await engine.close()
  }
})
afterAll(() => close())

const call = (id: string, payload = {}, needs?: object) =>
  worker.trigger({ function_id: id, payload, ...(needs && { metadata: { runs: { run_id: 'R', job: 'j', needs } } }) })

describe('the functions of orders-summary', () => {
  it('work on each other’s results in a run', async () => {
    const collected = await call('orders::collect', { status: 'open' })
    expect(collected).toMatchObject({ orders: [{ currency: 'EUR', total: 900, status: 'open' }], left_out: 0 })
    const none = { orders: [], left_out: 0 }
    expect(await call('orders::summarise', {}, { 'orders::collect': none })).toMatchObject({ orders: 0 })
    const [report, chart] = await Promise.all([
      call('orders::summarise', {}, { 'orders::collect': collected }),
      call('orders::chart', {}, { 'orders::collect': collected }),
    ])
    expect(report).toMatchObject({ orders: 1, totals: { EUR: 900 } })
    expect(chart).toEqual({ chart: expect.stringMatching(/^```\n2026-01-02 █{40} 1\n```$/) })
    const needs = { 'orders::summarise': { ...(report as object), orders: 7 }, 'orders::chart': { chart: 'none' } }
    expect(await call('orders::summary', { title: 'Today' }, needs)).toEqual({
      content: '# Today\n\nOrders: 7, worth 9.00 EUR.\n\nnone',
    })
  })

  it('are tools by themselves', async () => {
    expect(await call('orders::summary')).toEqual({
      content: expect.stringMatching(/^# Orders\n\nOrders: 1, worth 9\.00 EUR\.\n\n```\n2026/),
    })
    expect(await call('orders::chart', {}, { 'orders::collect': 'malformed' })).toEqual(await call('orders::chart'))
  })
})
