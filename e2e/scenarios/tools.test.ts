import { afterAll, beforeAll, expect } from 'vitest'
import { CLIENT_KINDS } from '../clients.ts'
import { connectToEngine } from '../facts.ts'
import { type RawFunction, startRawWorker } from '../raw-worker.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const tea = { customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 3, unit_price: 450 }] }

for (const kind of CLIENT_KINDS) {
  scenario(['client/connect'], `${kind} connects in its revision and keeps it`, async () => {
    await using client = await stack.connect(kind)
    expect(client.serverInfo?.name).toBe('iii-mcp')
    expect(client.protocolVersion).toBe(kind === 'client 2.x on 2026-07-28' ? '2026-07-28' : '2025-11-25')
    expect(client.sessionId === undefined).toBe(kind === 'client 2.x on 2026-07-28')
  })

  scenario(['tools/list'], `${kind} sees the tools with title, description, schema and annotations`, async () => {
    await using client = await stack.connect(kind)
    const tools = new Map((await client.listTools()).map((tool) => [tool.name, tool]))
    expect([...tools.keys()].sort()).toEqual([
      'orders__cancel',
      'orders__chart',
      'orders__collect',
      'orders__create',
      'orders__get',
      'orders__list',
      'orders__report',
      'orders__status',
      'orders__summarise',
      'orders__summary',
      'skill__fetch',
    ])
    expect(tools.get('orders__cancel')).toMatchObject({
      title: 'Cancel an order',
      description: expect.stringMatching(/^Cancels an order for good and with that refunds its total/),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        required: ['order_id'],
        properties: {
          order_id: { type: 'string', description: 'For example ORD-7K2M9QX4TD' },
          reason: { type: 'string', maxLength: 500 },
        },
      },
    })
    expect(tools.get('skill__fetch')).toMatchObject({ title: 'Fetch skills', annotations: { readOnlyHint: true } })
    expect(tools.get('orders__list')?.inputSchema.properties?.['limit']).toMatchObject({ default: 20, maximum: 100 })
    expect(tools.get('orders__create')?.inputSchema.properties?.['lines']).toMatchObject({
      type: 'array',
      items: { required: ['sku', 'quantity', 'unit_price'] },
    })
  })

  scenario(['tools/call'], `${kind} takes an order through its whole life with tools`, async () => {
    await using client = await stack.connect(kind)
    const created = await client.callTool('orders__create', { ...tea, customer: `Life of ${kind}` })
    expect(created.isError).toBeFalsy()
    const order = created.structuredContent as { id: string; total: number; status: string }
    expect(order).toMatchObject({ total: 1350, status: 'open' })
    expect(JSON.parse(created.content[0]?.text ?? '')).toEqual(order)

    const found = await client.callTool('orders__get', { order_id: order.id })
    expect(found.structuredContent).toMatchObject({ ...order, lines: tea.lines })

    const cancelled = await client.callTool('orders__cancel', { order_id: order.id, reason: 'Too cold' })
    expect(cancelled.structuredContent).toMatchObject({
      changed: true,
      status: 'cancelled',
      cancel_reason: 'Too cold',
    })
    const again = await client.callTool('orders__cancel', { order_id: order.id, reason: 'Another reason' })
    expect(again.structuredContent).toMatchObject({ changed: false, cancel_reason: 'Too cold' })

    const list = await client.callTool('orders__list', { customer: `Life of ${kind}`, status: 'cancelled' })
    expect(list.structuredContent).toMatchObject({ total: 1, orders: [{ id: order.id }] })
    const report = await client.callTool('orders__report', { customer: `Life of ${kind}` })
    expect(report.structuredContent).toMatchObject({
      orders: 1,
      totals: { EUR: 1350 },
      groups: [{ by: 'status', key: 'cancelled' }, { by: 'customer' }, { by: 'day' }],
    })
  })

  scenario(['tools/fault', 'http/no-leaks'], `${kind} reads why a function failed, and no stack`, async () => {
    await using client = await stack.connect(kind)
    const result = await client.callTool('orders__get', { order_id: 'ORD-0000000000' })
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Error: No order ORD-0000000000; orders__list shows those that there are' }],
    })
  })

  scenario(['tools/invalid-arguments'], `${kind} reads which argument breaks which rule`, async () => {
    await using client = await stack.connect(kind)
    const result = await client.callTool('orders__create', {
      ...tea,
      lines: [{ sku: 'TEA', quantity: 0, unit_price: 1 }],
    })
    expect(result.isError).toBe(true)
    expect(result.content[0]?.text).toMatch(/lines.+quantity/)
    expect(result.content[0]?.text).toContain('must be at least 1')
    const missing = await client.callTool('orders__get')
    expect(missing.isError).toBe(true)
    expect(missing.content[0]?.text).toContain('order_id')
  })

  scenario(['tools/fault'], `${kind} is told that a tool nobody registered is unknown`, async () => {
    await using client = await stack.connect(kind)
    await expect(client.callTool('orders__destroy')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: orders__destroy'),
    })
  })
}

/** Each of them breaks a whole list of tools in one client or another when it is passed on as it is. */
const oddRequests: readonly unknown[] = [
  ...['text', 5, [1], { type: 'string' }, { type: 5 }, { required: 'x' }, { required: null }, { properties: [1] }],
  ...[{ properties: { a: true, b: 5 } }, { properties: { a: { required: true } } }, { $ref: 'https://x.example/y' }],
]
const oddResponses: readonly unknown[] = [
  ...['text', 5, [1], { type: 'string' }],
  ...[
    ...[{ properties: [] }, { required: 'x' }, { properties: { a: { type: 'strin' } } }, { properties: { a: 5 } }],
    ...[{ pattern: '(' }, { enum: [] }, { allOf: {} }, { properties: { a: { nullable: true } } }],
    ...[{ properties: { a: { $ref: '#/nowhere' } } }, { $ref: '#' }, { $ref: 'https://x.example/y' }],
    ...[
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      { id: 'https://x.example/y' },
      { exclusiveMinimum: true },
    ],
    ...[
      { $id: 'https://x.example/a', required: ['ok'] },
      { $id: 'https://x.example/a', title: 'another' },
    ],
    ...[{ examples: { $anchor: '#' } }, { $async: true }, { dependencies: { ok: 1 } }, { 'x-mcp-header': 'X' }],
    ...[{ properties: { ok: { items: [{}] } } }, { additionalProperties: false, properties: 7 }],
  ].map((part) => ({ type: 'object', ...part })),
]
const oddFunctions: readonly RawFunction[] = [
  ...oddRequests.map((request_format, i) => ({ id: `odd::request-${i}`, request_format })),
  ...oddResponses.map((response_format, i) => ({ id: `odd::response-${i}`, response_format })),
  { id: 'odd::metadata', metadata: { 'mcp.title': 7, mcp: { annotations: { readOnlyHint: 'yes' }, icons: {} } } },
]

scenario(['tools/any-schema'], 'every client lists and calls what has malformed schemas, and all else', async () => {
  await using _ = await startRawWorker(stack.engineUrl, oddFunctions)
  const names = oddFunctions.map(({ id }) => id.replace('::', '__'))
  for (const kind of CLIENT_KINDS) {
    await using client = await stack.connect(kind)
    const list = async () => (await client.listTools()).map(({ name }) => name)
    await until(async () => (await list()).includes('odd__metadata'), { what: `${kind} to list the odd functions` })
    expect(await list()).toEqual(expect.arrayContaining([...names, 'orders__create']))
    for (const name of names) expect([name, (await client.callTool(name)).isError]).toEqual([name, undefined])
  }
  const lines = stack.children.get('mcp')?.stderr ?? []
  const said = lines.filter((line) => line.includes('"odd::response-4"') && !line.includes('"audit":true'))
  expect(said).toEqual([expect.stringContaining('properties must be an object with schemas')])
})

scenario(['tools/call'], 'the same order sent twice with one reference is one order', async () => {
  await using client = await stack.connect('sdk 1.x')
  const order = { ...tea, customer: 'Twice', reference: 'po-1' }
  const first = await client.callTool('orders__create', order)
  const second = await client.callTool('orders__create', order)
  expect(second.structuredContent).toEqual(first.structuredContent)
  const other = await client.callTool('orders__create', {
    ...order,
    lines: [{ sku: 'CUP', quantity: 1, unit_price: 1 }],
  })
  expect(other).toMatchObject({ isError: true })
  expect(other.content[0]?.text).toContain('Reference "po-1" belongs to order')
})

scenario(['tools/call'], 'many calls at once get each its own answer', async () => {
  await using client = await stack.connect('client 2.x on 2026-07-28')
  const prices = Array.from({ length: 40 }, (_, index) => index)
  const results = await Promise.all(
    prices.map((unit_price) =>
      client.callTool('orders__create', { ...tea, lines: [{ sku: 'TEA', quantity: 1, unit_price }] }),
    ),
  )
  expect(results.map((result) => (result.structuredContent as { total: number }).total)).toEqual(prices)
})

scenario(
  ['tools/call'],
  'a report over thousands of orders adds everything up, and other calls get their turn meanwhile',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    const count = 3000
    const rows = Array.from({ length: count }, (_, index) => ({
      id: `ORD-${String(index).padStart(10, '0')}`,
      customer: 'Bulk',
      currency: index % 2 ? 'EUR' : 'USD',
      lines: [{ sku: 'TEA', quantity: 1, unit_price: 100 }],
      total: 100,
      status: 'open',
      created_at: '2026-01-02T03:04:05.000Z',
    }))
    await Promise.all(
      rows.map((value) =>
        stack.worker.trigger({ function_id: 'state::set', payload: { scope: 'orders', key: value.id, value } }),
      ),
    )
    const [report, found] = await Promise.all([
      client.callTool('orders__report', { customer: 'Bulk' }),
      client.callTool('orders__get', { order_id: 'ORD-0000000001' }),
    ])
    expect(report.structuredContent).toMatchObject({
      orders: count,
      totals: { EUR: (count / 2) * 100, USD: (count / 2) * 100 },
      groups: expect.arrayContaining([expect.objectContaining({ by: 'day', key: '2026-01-02', orders: count })]),
    })
    expect(found.structuredContent).toMatchObject({ id: 'ORD-0000000001' })
  },
)

scenario(['tools/worker-lost'], 'a call whose worker goes away is answered that its outcome is unknown', async () => {
  await using client = await stack.connect('sdk 1.x')
  const fragile = connectToEngine(stack.engineUrl, 'fragile')
  const called = new Promise<void>((resolve) => {
    fragile.registerFunction('fragile::wait', () => {
      resolve()
      return new Promise(() => {})
    })
  })
  await fragile.ready({ timeoutMs: 5000 })
  const isListed = async () => (await client.listTools()).some(({ name }) => name === 'fragile__wait')
  await until(isListed, { what: 'the new tool' })
  const result = client.callTool('fragile__wait')
  await called
  await fragile.shutdown()
  expect(await result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('outcome is unknown') }],
  })
})

scenario(['bins/stdout'], 'the workers that served all this wrote nothing to stdout', () => {
  const said = ['skills', 'mcp', 'orders'].map((name) => stack.children.get(name)?.stdout)
  expect(said).toEqual([[], [], []])
})

scenario(['tools/skill'], 'a tool leads each client to the skill that says how it is used', async () => {
  const metadata = { mcp: { skill: 'orders' } }
  await using _ = await startRawWorker(stack.engineUrl, [{ id: 'skilled::refund', metadata }, { id: 'skilled::plain' }])
  for (const kind of CLIENT_KINDS) {
    await using client = await stack.connect(kind)
    const row = async (name: string) => (await client.listTools()).find((tool) => tool.name === name)
    await until(async () => (await row('skilled__plain')) !== undefined, { what: `${kind} to list the tools` })
    expect(await row('skilled__refund')).toMatchObject({ _meta: { 'iii/skill': 'iii://orders' } })
    expect(await row('skilled__plain')).not.toHaveProperty('_meta')
    expect((await client.readResource('iii://orders'))[0]?.text).toContain('order')
  }
})
