import { afterAll, beforeAll, expect } from 'vitest'
import { requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { readFoundTools, toListedCall, toShowing } from '../search-mode.ts'
import { type Stack, startStack } from '../stack.ts'
import { formatTokenTable } from '../tokens/token-table.ts'
import { sumBytes, toCosts, toTokens, type WeighedTool } from '../tokens/tool-costs.ts'

const MAX_TOKENS = 2000

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

/** The tools that a model sees when it looks for what somebody wants of it. */
async function look(task: string): Promise<(WeighedTool & { description: string })[]> {
  return readFoundTools(await requestOnce(stack.mcpUrl, ...toShowing(task)))
}

/** What a tool tells a model before it is called. */
async function readTool(name: string, task: string): Promise<string> {
  return JSON.stringify((await look(task)).find((tool) => tool.name === name))
}

/** The text that a model reads of a call. */
async function call(name: string, input: object = {}): Promise<string> {
  const result = await requestOnce(stack.mcpUrl, 'tools/call', toListedCall(name, { ...input }))
  const { isError, content } = result as { isError?: boolean; content: { text: string }[] }
  const text = content[0]?.text ?? ''
  expect(isError, text).toBeFalsy()
  return text
}

/** Takes an order of so much. @returns its id, as a model reads it */
async function takeOrder(customer: string, unit_price: number): Promise<string> {
  const order = { customer, currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price }] }
  return (JSON.parse(await call('orders__create', order)) as { id: string }).id
}

scenario(['model/tokens'], 'the list of tools is short', async () => {
  const { tools } = (await requestOnce(stack.mcpUrl, 'tools/list')) as { tools: WeighedTool[] }
  const costs = toCosts(tools)
  expect(toTokens(sumBytes(costs)), formatTokenTable(costs)).toBeLessThanOrEqual(MAX_TOKENS)
})

scenario(['model/tokens'], 'what there is on the engine is told as shortly', async () => {
  const read = await requestOnce(stack.mcpUrl, 'resources/read', { uri: 'iii://functions' })
  const { text } = (read as { contents: [{ text: string }] }).contents[0]
  expect(text).toContain('"function_id":"orders::list"')
  expect(text).not.toMatch(/\$schema|9007199254740991|": /)
})

scenario(
  ['model/task'],
  'a model refuses to refund a cancelled order twice, refunds an open one, and reports on the month',
  async () => {
    const [early, late, kept] = [
      await takeOrder('Ada', 100),
      await takeOrder('Grace', 250),
      await takeOrder('Linus', 700),
    ]
    for (const order_id of [late, early]) await call('orders__cancel', { order_id })

    // Refund the customer of the order that was cancelled last: which one is it?
    expect(await readTool('orders__list', 'orders cancelled last')).toMatch(
      /newest first.*"cancelled_at lists cancelled orders alone"/,
    )
    const [last] = (JSON.parse(await call('orders__list', { sort: 'cancelled_at', limit: 1 })) as { orders: Row[] })
      .orders
    expect(last).toMatchObject({ id: early, customer: 'Ada', status: 'cancelled', total: 100, currency: 'EUR' })
    expect(last?.cancelled_at).toBeTypeOf('string')

    // And how is it refunded? Its money went back when it was cancelled; nothing here would give it back again.
    const refund = await readTool('orders__cancel', 'refund an order')
    expect(refund).toMatch(/refunds its total: there is no other payment or refund/)
    expect(refund).toMatch(/One that is cancelled has been refunded and stays as it is \(changed: false\)/)
    const found = await look('refund an order')
    expect(found.filter((tool) => tool.description.includes('refund')).map(({ name }) => name)).toEqual([
      'orders__cancel',
    ])
    expect(await call('skill__fetch', { uri: 'iii://orders/refunds' })).toMatch(
      /none of an order that is cancelled already/,
    )
    expect(JSON.parse(await call('orders__cancel', { order_id: early }))).toEqual({ changed: false, ...last })

    // This month's orders: which month is it, of which time zone, and which orders count?
    expect(await readTool('orders__status', 'status of orders: what time it is')).toContain('What time it is (UTC)')
    const [, month = ''] = /At (\d{4}-\d\d)-\d\dT.*Z there are/.exec(await call('orders__status')) ?? []
    const about = await readTool('orders__report', 'report on the orders of a month')
    expect(about).toMatch(/Adds up orders by status, customer and day \(UTC, of created_at\), in minor units \(cents\)/)
    expect(about).toMatch(/Cancelled ones count, as a status; the groups of each kind add up to the totals/)
    expect(about).toMatch(/"from":\{"description":"Day of created_at \(UTC\): 2026-01-31"/)
    const report = JSON.parse(await call('orders__report', { from: `${month}-01` })) as object
    expect(report).toMatchObject({
      counted: `open and cancelled orders created from ${month}-01 (UTC)`,
      orders: 3,
      totals: { EUR: 1050 },
      groups: expect.arrayContaining([
        { by: 'status', key: 'cancelled', orders: 2, totals: { EUR: 350 } },
        { by: 'status', key: 'open', orders: 1, totals: { EUR: 700 } },
      ]),
    })

    // One that is open is refunded by the same tool, and says so.
    expect(JSON.parse(await call('orders__cancel', { order_id: kept, reason: 'Too cold' }))).toMatchObject({
      changed: true,
      customer: 'Linus',
      total: 700,
    })
  },
)

interface Row {
  readonly cancelled_at?: string
}
