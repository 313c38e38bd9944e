import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge } from './testing/bridge.ts'
import { untilAnswer } from './testing/until.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }

describe('the endpoint', () => {
  it('is the function mcp::handler behind POST, GET and DELETE', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { registered_triggers } = await bridge.other.trigger<{
      registered_triggers: { trigger_type: string; config: Record<string, unknown> }[]
    }>({ function_id: 'engine::functions::info', payload: { function_id: 'mcp::handler' } })
    expect(registered_triggers.map(({ trigger_type, config }) => [trigger_type, config['http_method']]).sort()).toEqual(
      [
        ['http', 'DELETE'],
        ['http', 'GET'],
        ['http', 'POST'],
      ],
    )
    expect((await fetch(bridge.url, { method: 'PUT' })).status).toBe(405)
  })

  it('lets bridges on other paths share the engine, each with its own rules', async () => {
    await using engine = await startMockEngine()
    await using users = await startBridge(engine, { options: { apiPath: 'mcp/users', tier: 'user' } })
    await using ops = await startBridge(engine, { options: { apiPath: '/mcp/ops', tier: 'ops' } })
    await using all = await startBridge(engine, { options: { apiPath: 'mcp' } })
    for (const tier of ['user', 'ops']) {
      all.other.registerFunction(`reports::${tier}`, () => tier, { metadata: { mcp: { expose: true, tier } } })
    }
    await all.other.ready()
    expect(await users.call('reports__user')).toMatchObject({ content: [{ text: 'user' }] })
    expect(await users.call('reports__ops')).toMatchObject({ isError: true })
    expect(await ops.call('reports__ops')).toMatchObject({ content: [{ text: 'ops' }] })
    expect((await all.call('reports__ops')).isError).toBeUndefined()
  })

  it('moves when its path is changed', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const before = bridge.url
    bridge.set({ apiPath: '/moved' })
    await bridge.worker.ready()
    expect((await bridge.post(ping)).status).toBe(200)
    expect((await fetch(before, { method: 'POST' })).status).toBe(404)
  })

  it('answers a bare message that comes by iii.trigger', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const ask = (payload: unknown) => bridge.other.trigger({ function_id: 'mcp::handler', payload })
    expect(await ask(ping)).toEqual({ jsonrpc: '2.0', id: 5, result: {} })
    expect(await ask({ ...ping, method: 'initialize' })).toMatchObject({ id: 5, result: { serverInfo: {} } })
    expect(await ask({ ...ping, method: 'tools/list' })).toEqual({ jsonrpc: '2.0', id: 5, result: { tools: [] } })
    expect(await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined()
    expect(await ask({ ...ping, method: 'nope' })).toMatchObject({ id: 5, error: { code: -32601 } })
    expect(await ask([ping])).toMatchObject({ id: null, error: { code: -32600 } })
    expect(await ask('hello')).toMatchObject({ id: null, error: { code: -32600 } })
  })
})

describe('the settings', () => {
  it('decide what is listed as soon as they change', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('orders::list', () => 1)
    bridge.other.registerFunction('orders::get', () => 1, { metadata: { 'mcp.expose': true } })
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.length === 2)
    bridge.set({ requireExpose: true })
    expect((await bridge.call('orders__list')).isError).toBe(true)
    expect(await untilAnswer(bridge.toolNames, (names) => names.length === 1)).toEqual(['orders__get'])
    bridge.set({ requireExpose: false, hiddenPrefixes: ['orders::g'] })
    expect(await untilAnswer(bridge.toolNames, (names) => names[0] === 'orders__list')).toEqual(['orders__list'])
  })

  it('that cannot be read lock everything, with line and reason, until they are mended', async () => {
    await using engine = await startMockEngine()
    const locked = 'line 3: api_path: must be a path'
    await using bridge = await startBridge(engine, { locked })
    const text = 'This server is locked by its configuration: line 3: api_path: must be a path'
    const { status, message } = await bridge.post(ping)
    expect([status, message.id, message.error]).toEqual([503, 5, { code: -32000, message: text }])
    for (const method of ['GET', 'DELETE']) expect((await fetch(bridge.url, { method })).status).toBe(503)
    expect(await bridge.post('{')).toMatchObject({ status: 503, text: expect.not.stringContaining('/etc') })
    const bare = await bridge.other.trigger({ function_id: 'mcp::handler', payload: ping })
    expect(bare).toMatchObject({ id: 5, error: { message: text } })
    const stranger = await bridge.post(ping, { origin: 'https://evil.example.com' })
    expect([stranger.status, stranger.message.error?.message]).toEqual([
      503,
      'This server is locked by its configuration',
    ])
    bridge.set({})
    expect((await bridge.post(ping)).status).toBe(200)
  })
})
