import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge } from './testing/bridge.ts'
import { until } from './testing/until.ts'

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
    await until(bridge.toolNames, (names) => names.length === 2)
    bridge.set({ requireExpose: true })
    expect((await bridge.call('orders__list')).isError).toBe(true)
    expect(await until(bridge.toolNames, (names) => names.length === 1)).toEqual(['orders__get'])
    bridge.set({ requireExpose: false, hiddenPrefixes: ['orders::g'] })
    expect(await until(bridge.toolNames, (names) => names[0] === 'orders__list')).toEqual(['orders__list'])
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

describe('the program', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, ['--conditions=@iii/source', '--import', 'tsx', main, ...argv], { encoding: 'utf8' })

  it('says what it is and what can be set', () => {
    expect(run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { stdout, stderr, status } = run('--help')
    expect([stderr, status]).toEqual(['', 0])
    for (const flag of ['--url', '--engine-url', '--config', '--api-path', '--require-expose', '--expose-all']) {
      expect(stdout).toContain(flag)
    }
    for (const flag of ['--tier', '--no-stdio', '--manifest']) expect(stdout).toContain(flag)
    expect(JSON.parse(run('--manifest').stdout)).toMatchObject({
      name: 'mcp',
      default_config: { api_path: '/mcp', hidden_prefixes: [], require_expose: false },
    })
  })

  it('names the nearest flag for one that it does not have, and refuses a bad value', () => {
    expect(run('--require-exposed')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--require-expose/) })
    expect(run('--api-path', '/mcp/{x}')).toMatchObject({ status: 2, stderr: expect.stringMatching(/--api-path/) })
  })

  it('does not start with flags that contradict each other', () => {
    expect(run('--require-expose', '--expose-all', '--no-stdio')).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        "iii-mcp: --require-expose and --expose-all say the opposite of each other: use one of them\nTry 'iii-mcp --help'.\n",
    })
  })

  it('says how to build it when it was not built', () => {
    const launcher = fileURLToPath(new URL('../bin/iii-mcp.js', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
    expect(status === 0 || stderr === 'not built yet: run `pnpm build`\n').toBe(true)
  })
})
