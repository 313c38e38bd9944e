import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { type BridgeSetup, startBridge, stateless, type TestBridge } from '../../testing/bridge.ts'
import { offerHeld } from '../../testing/held-function.ts'
import { untilAnswer } from '../../testing/until.ts'

const SEARCH: BridgeSetup = { options: { tools: 'search' } }

interface Found {
  readonly tools: { readonly name: string; readonly inputSchema?: unknown }[]
  readonly left_out: number
  readonly hint?: string
}

async function open(engine: MockEngine, setup: BridgeSetup = SEARCH): Promise<TestBridge> {
  const bridge = await startBridge(engine, setup)
  const { other } = bridge
  const takes = { type: 'object', properties: { order_id: { type: 'string' } } }
  const gives = { type: 'object', properties: { id: { type: 'string' } } }
  const cancel = { description: 'Cancel an order', request_format: takes, response_format: gives }
  other.registerFunction('orders::cancel', ({ order_id }: { order_id: string }) => ({ id: order_id }), cancel)
  other.registerFunction('payments::refund', () => 'refunded', { description: 'Return the money of a payment' })
  other.registerFunction('payments::broken', () => Promise.reject(new Error('no money')), { description: 'Fails' })
  other.registerFunction('orders::pinned', () => 'pinned', { metadata: { 'mcp.pin': true } })
  other.registerFunction('orders::hidden', () => 1, { description: 'Unicorn', metadata: { 'mcp.expose': false } })
  await other.ready()
  await untilAnswer(
    () => find(bridge, 'refund'),
    ({ tools }) => tools.length > 0,
  )
  return bridge
}

async function find(bridge: TestBridge, query: string, others: object = {}): Promise<Found> {
  const { structuredContent, content } = await bridge.call('search_tools', { query, ...others })
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
  return structuredContent as Found
}

describe('a list in search mode', () => {
  it('has the two tools and those that are pinned, by themselves and by the settings, in both eras', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    expect(await bridge.toolNames()).toEqual(['search_tools', 'call_tool', 'orders__pinned'])
    bridge.set({ pinnedTools: ['payments::refund'] })
    const listed = ['search_tools', 'call_tool', 'orders__pinned', 'payments__refund']
    expect(await bridge.toolNames()).toEqual(listed)
    const { meta, headers } = stateless('tools/list')
    const { tools } = await bridge.result<{ tools: { name: string }[] }>('tools/list', { _meta: meta }, headers)
    expect(tools.map(({ name }) => name)).toEqual(listed)
    bridge.set({ tools: 'all' })
    expect((await bridge.toolNames()).includes('orders__cancel')).toBe(true)
    expect((await bridge.rpc('tools/call', { name: 'search_tools' })).message.error?.message).toMatch(/^Unknown tool/)
  })

  it('has twenty tools at the most that only say themselves that they are pinned', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    for (let at = 10; at < 60; at += 1) {
      bridge.other.registerFunction(`eager::f${at}`, () => 1, { metadata: { 'mcp.pin': true } })
    }
    const names = await untilAnswer(bridge.toolNames, (all) => all.length > 20)
    expect(names).toHaveLength(22)
    bridge.set({ pinnedTools: ['orders::pinned'] })
    expect(await bridge.toolNames()).toContain('orders__pinned')
  })
})

describe('a bridge that nobody told otherwise', () => {
  it('lists all tools, and has neither of the two', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    for (const id of ['orders::cancel', 'payments::refund']) bridge.other.registerFunction(id, () => 'done')
    await bridge.other.ready()
    const names = await untilAnswer(bridge.toolNames, (all) => all.length > 1)
    expect(names).toEqual(['orders__cancel', 'payments__refund'])
    for (const name of ['search_tools', 'call_tool']) {
      const { error } = (await bridge.rpc('tools/call', { name, arguments: { query: 'refund' } })).message
      expect(error?.message).toMatch(`Unknown tool: ${name}`)
    }
  })
})

describe('search_tools', () => {
  it('finds tools with what a call needs, and what has come since', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const found = await find(bridge, 'cancelling orders')
    expect(found.tools[0]).toEqual({
      name: 'orders__cancel',
      description: 'Cancel an order',
      inputSchema: { type: 'object', properties: { order_id: { type: 'string' } } },
    })
    expect((await find(bridge, 'cancel', { detail: 'names' })).tools).toEqual([{ name: 'orders__cancel' }])
    const both = await bridge.call('search_tools', { queries: ['cancel', 'refund'], detail: 'names' })
    expect(both.structuredContent).toEqual({
      tools: [{ name: 'orders__cancel' }, { name: 'payments__refund' }],
      left_out: 0,
    })
    const parcel = bridge.other.registerFunction('shipping::track', () => 1, { description: 'Where a parcel is' })
    await untilAnswer(
      () => find(bridge, 'parcel'),
      ({ tools }) => tools.length === 1,
    )
    parcel.unregister()
    bridge.other.registerFunction('shipping::trace', () => 1, { description: 'Where a package is' })
    await untilAnswer(
      () => find(bridge, 'package'),
      ({ tools }) => tools.length === 1,
    )
    expect((await find(bridge, 'parcel')).tools).toEqual([])
  })

  it('finds a tool by the words of the description that it has now', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const track = () => 'here'
    const finds = (query: string) =>
      untilAnswer(
        () => find(bridge, query),
        ({ tools }) => tools.length === 1,
      )
    const tracking = bridge.other.registerFunction('shipping::track', track, { description: 'Where a parcel is' })
    await finds('parcel')
    tracking.replace(track, { description: 'Where a package is' })
    await finds('package')
    expect((await find(bridge, 'parcel')).tools).toEqual([])
  })

  it('says the same whether a tool is hidden or was never there', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const hint = 'No tool was found. Say it in other words, or in fewer. There are tools of orders, payments.'
    expect(await find(bridge, 'unicorn')).toEqual({ tools: [], left_out: 0, hint })
    for (const query of ['dragon', '', 'the of and', '\u0000\u0007', '行']) {
      expect(await find(bridge, query)).toEqual({ tools: [], left_out: 0, hint })
    }
  })

  it('takes null for an argument that was not given', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const input = { query: 'refund a payment', queries: null, limit: null, detail: null }
    expect(await bridge.call('search_tools', input)).toEqual(await bridge.call('search_tools', { query: input.query }))
    expect((await bridge.call('search_tools', { ...input, query: null, queries: ['refund'] })).isError).toBeUndefined()
  })

  it.each([
    [{}, "Error: search_tools needs 'query', a text that says what the tool shall do"],
    [{ query: 7 }, "Error: 'query' must be a text that says what the tool shall do"],
    [{ query: 'x', limit: 21 }, "Error: 'limit' must be an integer from 1 to 20"],
    [{ query: 'x', detail: 'all' }, "Error: 'detail' must be one of names, brief, full"],
    [{ queries: 'x' }, "Error: 'queries' must be a list of at most 5 texts"],
    [{ words: 'x' }, "Error: search_tools has no argument 'words': it takes query, queries, limit, detail"],
  ])('says of %j what would be right', async (input, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, SEARCH)
    expect(await bridge.call('search_tools', input)).toEqual({ content: [{ type: 'text', text }], isError: true })
  })
})

describe('call_tool', () => {
  it('gives what a call by name gives, also what is wrong', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const calls: [string, object?][] = [
      ['orders__cancel', { order_id: '7' }],
      ['payments__refund'],
      ['payments__broken'],
      ['orders__hidden'],
      ['engine__functions__list'],
      ['nothing__there'],
    ]
    for (const [name, input] of calls) {
      const direct = await bridge.rpc('tools/call', { name, ...(input && { arguments: input }) })
      const wrapped = await bridge.rpc('tools/call', {
        name: 'call_tool',
        arguments: { name, ...(input && { arguments: input }) },
      })
      expect(wrapped.message).toEqual(direct.message)
    }
    const { error } = (await bridge.rpc('tools/call', { name: 'orders__cancl' })).message
    expect(error?.message).toBe(
      'Unknown tool: orders__cancl. Did you mean orders__cancel? search_tools finds all of them',
    )
    expect(await bridge.call('call_tool', { name: 'orders__cancel', arguments: { order_id: '7' } })).toEqual({
      content: [{ type: 'text', text: '{"id":"7"}' }],
      structuredContent: { id: '7' },
    })
  })

  it.each(['search_tools', 'call_tool', 'orders__pinned', 'iii_worker_stop'])('refuses %s', async (name) => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await open(engine)
    const text = `Error: ${name} is called by its own name, and not with call_tool`
    expect(await bridge.call('call_tool', { name })).toEqual({ content: [{ type: 'text', text }], isError: true })
  })

  it('knows no management tool for whoever has none', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    const token = createToken()
    const tokens = [{ name: 'ci', hash: [toDigest(token)], grant: 'all' }]
    await using bridge = await open(engine)
    bridge.set({ auth: AuthBlock.parse({ tokens, grants: { all: {} } }), httpBuiltins: true })
    const ask = (name: string, input: object) =>
      bridge.rpc('tools/call', { name, arguments: input }, { authorization: `Bearer ${token}` })
    const direct = await ask('iii_worker_stop', {})
    expect(direct.message.error?.message).toMatch(/^Unknown tool: iii_worker_stop/)
    expect((await ask('call_tool', { name: 'iii_worker_stop' })).message).toEqual(direct.message)
  })

  it.each([{}, { name: '' }, { name: 7 }, { name: 'a', arguments: 'x' }, { name: 'a', input: {} }])(
    'says of %j what would be right',
    async (input) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine, SEARCH)
      const { content, isError } = await bridge.call('call_tool', input)
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining("call_tool needs 'name'")])
    },
  )

  it('is one call of its caller, of whatever tool', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    const token = createToken()
    const limits = { concurrent: 1, per_minute: 1, burst: 100 }
    const tokens = [{ name: 'ci', hash: [toDigest(token)], grant: 'all', limits }]
    await using bridge = await open(engine)
    bridge.set({ auth: AuthBlock.parse({ tokens, grants: { all: {} } }) })
    const { running, finish } = offerHeld(bridge.other, 'orders::wait')
    const ask = (name: string, input: object = {}) =>
      bridge.rpc('tools/call', { name, arguments: input }, { authorization: `Bearer ${token}` })
    await untilAnswer(
      () => ask('search_tools', { query: 'wait' }),
      ({ text }) => text.includes('orders__wait'),
    )
    const first = ask('call_tool', { name: 'orders__wait' })
    await untilAnswer(running, (count) => count === 1)
    const [wrapped, direct] = [await ask('call_tool', { name: 'payments__refund' }), await ask('payments__refund')]
    expect([wrapped.status, wrapped.text]).toEqual([429, expect.stringContaining('this caller has 1 under way')])
    expect([direct.status, direct.text]).toEqual([429, wrapped.text])
    finish()
    expect((await first).status).toBe(200)
    expect((await ask('call_tool', { name: 'payments__refund' })).status).toBe(200)
  })

  it('is logged under the name of the tool that it calls', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    const lines: unknown[] = []
    const log = { info: (fields: object) => void lines.push(fields), warn() {}, debug() {}, error() {}, trace() {} }
    await using bridge = await open(engine, { ...SEARCH, log: log as never })
    lines.length = 0
    await bridge.call('call_tool', { name: 'payments__refund' })
    expect(lines).toEqual([expect.objectContaining({ tool: 'payments__refund', outcome: 'ok' })])
  })
})
