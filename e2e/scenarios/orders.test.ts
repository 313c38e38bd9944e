import { afterAll, beforeAll, expect } from 'vitest'
import { requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

interface CallResult {
  isError?: boolean
  structuredContent?: { id: string }
  content: { text: string }[]
}

async function create(quantity: number, reference: string): Promise<CallResult> {
  const order = { customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity, unit_price: 450 }], reference }
  return (await requestOnce(stack.mcpUrl, 'tools/call', { name: 'orders__create', arguments: order })) as CallResult
}

scenario(['sample/turns'], 'one reference is one order, however many clients send it at the same time', async () => {
  for (const reference of ['po-1', 'po-2', 'po-3']) {
    const results = await Promise.all(Array.from({ length: 10 }, (_none, index) => create(1 + (index % 2), reference)))
    const made = results.flatMap(({ structuredContent }) => structuredContent ?? [])
    const refused = results.filter(({ isError }) => isError)
    expect([made.length, refused.length]).toEqual([5, 5])
    expect(new Set(made.map((order) => JSON.stringify(order))).size).toBe(1)
    for (const { content } of refused) {
      expect(content[0]?.text).toBe(
        `Error: Reference "${reference}" belongs to order ${made[0]?.id}, which is a different order`,
      )
    }
    const stored = await stack.worker.trigger({ function_id: 'orders::get', payload: { order_id: made[0]?.id } })
    expect(stored).toMatchObject({ ...made[0] })
  }
})

scenario(['sample/prompt'], 'the refund prompt is there for whatever is typed as an order id', async () => {
  const { structuredContent } = await create(3, 'po-prompt')
  const id = structuredContent?.id ?? ''
  const nothing = 'No order was named.'
  const typed: [string | undefined, string][] = [
    [id, `Refund order ${id} of Ada`],
    [` ${id.toLowerCase()} `, `Refund order ${id} of Ada`],
    ['', nothing],
    [undefined, nothing],
    [' \t\n ', nothing],
    ['\u0000\u0007\u001b', nothing],
    ['x'.repeat(5000), `There is no order ${'x'.repeat(100)}….`],
    ['ORD\u0000-1\u001b[31m', 'There is no order ORD -1 [31m.'],
    ['🫖'.repeat(60), `There is no order ${'🫖'.repeat(60)}.`],
    ['__proto__', 'There is no order __proto__.'],
  ]
  for (const [order_id, text] of typed) {
    const prompt = await requestOnce(stack.mcpUrl, 'prompts/get', { name: 'refund-order', arguments: { order_id } })
    expect(prompt).toMatchObject({ messages: [{ content: { text: expect.stringContaining(text) as string } }] })
  }
})

scenario(
  ['sample/prompt'],
  'the order id of the refund prompt is completed with orders that can be refunded',
  async () => {
    const { structuredContent: open } = await create(4, 'po-open')
    const { structuredContent: gone } = await create(5, 'po-gone')
    await requestOnce(stack.mcpUrl, 'tools/call', { name: 'orders__cancel', arguments: { order_id: gone?.id } })
    const complete = async (value: string, name = 'order_id') => {
      const ref = { type: 'ref/prompt', name: 'refund-order' }
      const answer = await requestOnce(stack.mcpUrl, 'completion/complete', { ref, argument: { name, value } })
      return (answer as { completion: { values: string[] } }).completion.values
    }
    const values = await complete('')
    expect(values).toContain(open?.id)
    expect(values).not.toContain(gone?.id)
    expect(await complete(` ${open?.id.slice(0, 8).toLowerCase()}`)).toContain(open?.id)
    expect(await complete('', 'reason')).toEqual([])
  },
)
