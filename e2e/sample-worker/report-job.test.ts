import { startMockEngine } from '@iii/mock-engine'
import { InputRequired } from '@iii/protocol'
import { registerWorker, type Worker } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveOrders } from './worker.ts'

const VIA = 'mcp::stand-in'
const capabilities = { elicitation: {} }

interface Asked {
  count?: number
  answer?: unknown
  client_capabilities?: object
}

describe('the report', () => {
  let caller: Worker
  let told: unknown[]
  let close: () => Promise<void>

  beforeAll(async () => {
    const engine = await startMockEngine()
    const worker = registerWorker(engine.url, { name: 'orders' })
    const orders = serveOrders(worker)
    caller = registerWorker(engine.url, { name: 'caller' })
    caller.registerFunction(`${VIA}::progress`, (report) => {
      told.push(report)
      return { delivered: true }
    })
    await Promise.all([worker.ready({ timeoutMs: 5000 }), caller.ready({ timeoutMs: 5000 })])
    close = async () => {
      orders.close()
      await Promise.all([worker.shutdown(), caller.shutdown()])
      await engine.close()
    }
  })
  afterAll(() => close())

  /** As a bridge asks for a report on a customer with so many orders, once without and once with an answer. */
  async function report({ count = 150, answer, client_capabilities = capabilities }: Asked) {
    told = []
    const customer = `Customer with ${count}`
    await Promise.all(Array.from({ length: count }, (_, nth) => takeOrder(customer, `po-${nth}`)))
    const call = (more: object) => {
      const mcp = { call_id: 'c1', via: VIA, progress: true, client_capabilities, ...more }
      return caller.trigger({ function_id: 'orders::report', payload: { customer }, metadata: { mcp } })
    }
    const first = await call({})
    const asked = InputRequired.safeParse(first)
    if (!asked.success) return { questions: {}, result: first }
    const { input_requests: questions, request_state } = asked.data
    const input_responses = Object.fromEntries(Object.keys(questions).map((key) => [key, answer]))
    return { questions, result: await call({ input_responses, request_state }) }
  }

  function takeOrder(customer: string, reference: string): Promise<unknown> {
    const lines = [{ sku: 'TEA', quantity: 1, unit_price: 100 }]
    return caller.trigger({ function_id: 'orders::create', payload: { customer, currency: 'EUR', lines, reference } })
  }

  it('on few orders is made without a question, and shows its progress', async () => {
    const { questions, result } = await report({ count: 3 })
    expect(questions).toEqual({})
    expect(result).toMatchObject({
      counted: 'open and cancelled orders of Customer with 3 of all days (UTC)',
      orders: 3,
      totals: { EUR: 300 },
    })
    expect(told).toEqual([{ call_id: 'c1', progress: 3, total: 3, message: 'orders' }])
  })

  it('on many orders is made when the person who is asked agrees', async () => {
    const { questions, result } = await report({ answer: { action: 'accept', content: { go_on: true } } })
    expect(Object.values(questions)).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Add up 150 orders?' } },
    ])
    expect(result).toMatchObject({ orders: 150 })
  })

  it.each([{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { go_on: false } }])(
    'is not made when that person does not want it: %j',
    async (answer) => {
      await expect(report({ answer })).rejects.toThrow('name a customer, a status, from or to [forbidden]')
    },
  )

  it('is made at once for clients that cannot be asked, and for workers', async () => {
    expect(await report({ client_capabilities: {} })).toMatchObject({ questions: {}, result: { orders: 150 } })
    const payload = { customer: 'Customer with 150' }
    expect(await caller.trigger({ function_id: 'orders::report', payload })).toMatchObject({ orders: 150 })
  })
})
