import { startMockEngine } from '@iii/mock-engine'
import { createLog, type McpContext, registerMcpFunction, registerWorker, type Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasNamespaces, listFunctions, listWorkers } from '../facts.ts'
import { bridgeProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { type StdioProcess, type StdioReply, startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } }
const ALLOWED = 'shop-1'
const BUDGET_MS = 10_000

const cleanup = createCleanup()
let stack: Stack
/** Whether there are any: on an engine without them everything is in one place, whatever it is told. */
let areApart: boolean

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  areApart = await hasNamespaces(stack.worker)
})
afterAll(() => cleanup.run())

/** A worker of a test in a namespace; its functions answer with where they are. */
async function reside(namespace: string, ids: readonly string[]): Promise<Worker> {
  const log = createLog({ name: 'resident', level: 'silent' })
  const worker = registerWorker(stack.engineUrl, { name: 'resident', namespace, log })
  for (const id of ids) offer(worker, id, namespace)
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

const offer = (worker: Worker, id: string, where: string) =>
  worker.registerFunction(id, () => `in ${where}`, {
    description: `${id} of ${where}`,
    metadata: { 'mcp.expose': true },
  })

async function openBridge(...flags: string[]): Promise<StdioProcess> {
  const bridge = startStdio(stdioBridge(stack.engineUrl, ['--no-builtins', '--require-expose', ...flags]))
  await bridge.request('initialize', CLIENT)
  await bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return bridge
}

async function toolsOf(bridge: StdioProcess): Promise<string[]> {
  const { result } = await bridge.request('tools/list')
  const tools = (result?.['tools'] ?? []) as { name: string }[]
  return tools.map(({ name }) => name).filter((name) => name.includes('goods__'))
}

const textOf = async (bridge: StdioProcess, name: string) =>
  ((await bridge.request('tools/call', { name })).result?.['content'] as { text: string }[] | undefined)?.[0]?.text

async function sectionOf(bridge: StdioProcess, uri: string): Promise<string | undefined> {
  const { result } = await bridge.request('resources/read', { uri })
  return (result?.['contents'] as { text: string }[] | undefined)?.[0]?.text
}

const hasNews = (bridge: StdioProcess) =>
  bridge.messages.some(({ method }) => method === 'notifications/tools/list_changed')

scenario(
  ['namespaces/shown'],
  'functions of one id in three namespaces are shown, called, read and told of as the setting says',
  async () => {
    const everywhere = ['goods::sell', 'goods::hidden']
    await using _here = await reside('default', everywhere)
    await using there = await reside('orders', everywhere)
    await using far = await reside('far', everywhere)
    there.registerFunction('goods::unexposed', () => 'never')
    there.registerFunction('state::goods__mine', () => 'never', { metadata: { 'mcp.expose': true } })
    await there.ready({ timeoutMs: 5_000 })
    const hides = ['--hidden-prefixes', 'goods::hidden']
    await using own = await openBridge(...hides)
    await using wide = await openBridge(...hides, '--namespaces', 'orders')
    await using all = await openBridge(...hides, '--namespaces', '*')
    const all23 = ['goods__sell', 'far___goods__sell', 'orders___goods__sell']
    const expected = areApart
      ? [['goods__sell'], ['goods__sell', 'orders___goods__sell'], all23]
      : [0, 0, 0].map(() => ['goods__sell'])
    await until(
      async () => JSON.stringify(await Promise.all([own, wide, all].map(toolsOf))) === JSON.stringify(expected),
      {
        what: `the tools to be ${JSON.stringify(expected)}`,
      },
    )

    const unknown = 'Unknown tool: far___goods__sell. Did you mean goods__sell? tools/list has all of them'
    expect(await textOf(own, 'goods__sell')).toBe(areApart ? 'in default' : 'in far')
    expect((await wide.request('tools/call', { name: 'far___goods__sell' })).error?.message).toBe(unknown)
    const elsewhere = await textOf(all, 'far___goods__sell')
    expect(elsewhere).toBe(areApart ? 'in far' : undefined)
    expect(await sectionOf(wide, 'iii://fn/goods/sell')).toBe(areApart ? 'in default' : 'in far')
    expect(await sectionOf(wide, 'iii://fn/@orders/goods/sell')).toBe(areApart ? 'in orders' : undefined)
    expect(await sectionOf(own, 'iii://fn/@orders/goods/sell')).toBeUndefined()

    expect([own, wide, all].map(hasNews)).toEqual([false, false, false])
    offer(far, 'goods::news', 'far')
    await until(() => hasNews(all), { what: 'the bridge that shows all to tell of it' })
    offer(there, 'goods::tidings', 'orders')
    await until(() => hasNews(wide), { what: 'the bridge that shows two namespaces to tell of it' })
    if (areApart) expect(hasNews(own)).toBe(false)
  },
)

/** Tells, asks, and goes on until it is cancelled. */
async function talk(_: unknown, { log, progress, ask, signal }: McpContext): Promise<void> {
  await log('info', 'begun')
  await progress(1, 2)
  const { action } = await ask.form('Go on?', z.object({}))
  await log('info', action)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  given.push('up')
}
const given: string[] = []

scenario(
  ['namespaces/talk'],
  'a function in another namespace than its bridge reports to the client, asks it, and hears that it has cancelled',
  async () => {
    await using there = await reside('orders', [])
    registerMcpFunction(there, 'talks::long', talk, { metadata: { 'mcp.expose': true } })
    await there.ready({ timeoutMs: 5_000 })
    await using bridge = startStdio(
      stdioBridge(stack.engineUrl, ['--no-builtins', '--require-expose', '--namespaces', 'orders']),
    )
    await bridge.request('initialize', { ...CLIENT, capabilities: { elicitation: {} } })
    const say = (message: object) => bridge.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const told = (what: unknown) => (message: StdioReply) => JSON.stringify(message.params) === JSON.stringify(what)
    await say({ method: 'notifications/initialized' })
    await bridge.request('logging/setLevel', { level: 'info' })

    const name = areApart ? 'orders___talks__long' : 'talks__long'
    const listed = async () => JSON.stringify((await bridge.request('tools/list')).result).includes(name)
    await until(listed, { what: 'the tool' })
    await say({ id: 7, method: 'tools/call', params: { name, _meta: { progressToken: 'p' } } })
    await bridge.find('a log message', told({ level: 'info', data: 'begun' }))
    await bridge.find('the progress', told({ progressToken: 'p', progress: 1, total: 2 }))
    const { id } = await bridge.find('the question', ({ method }) => method === 'elicitation/create')
    await say({ id, result: { action: 'accept', content: {} } })
    await bridge.find('the answer to come back', told({ level: 'info', data: 'accept' }))
    await say({ method: 'notifications/cancelled', params: { requestId: 7 } })
    await until(() => given.includes('up'), { what: 'the function to hear that it was cancelled' })
  },
)

scenario(
  ['namespaces/compose'],
  'a container is there by the name and in the namespace that it is given, and a second one of the name says who has it',
  async () => {
    const env = {
      III_URL: stack.engineUrl,
      III_NAMESPACE: 'compose_1',
      III_WORKER_NAME: 'agents-bridge',
      III_EXACT_NAME: 'true',
    }
    const start = (port: string) =>
      startChild({ ...bridgeProgram(stack.engineUrl), args: ['--no-stdio', '--api-path', port], env })
    const rows = async () => (await listWorkers(stack.worker)).filter(({ name }) => name === 'agents-bridge')
    await using first = start('/agents')
    const [row] = await until(async () => (await rows()).length > 0 && (await rows()), {
      what: 'the container',
      deadlineMs: BUDGET_MS,
    })
    expect(row?.namespace).toBe(areApart ? 'compose_1' : undefined)
    await using second = start('/others')
    if (areApart) {
      await second.line(new RegExp(`another live worker \\(id ${row?.id}\\) has the name 'agents-bridge'`))
      expect((await rows()).map(({ id }) => id)).toEqual([row?.id])
      await first.stop()
    }
    const isThere = async () => (await rows()).some(({ id }) => id !== row?.id)
    await until(isThere, { what: 'the second one to have the name', deadlineMs: BUDGET_MS })
  },
)

scenario(
  ['namespaces/granted'],
  'a bridge that may only be in another namespace leaves before the engine puts it into the default one',
  async () => {
    const restricted = { authFunctionId: 'guard::auth', expose: ['engine::*'] }
    await using engine = await startMockEngine({ engine: '0.23', namespaceGraceMs: 1_000, restricted })
    await using guard = connectToEngine(engine.url, 'guard')
    const grant = {
      allowed_functions: [],
      forbidden_functions: [],
      allow_trigger_type_registration: true,
      allow_function_registration: true,
      namespaces: { [ALLOWED]: ['*'] },
    }
    guard.registerFunction('guard::auth', () => grant)
    await guard.ready({ timeoutMs: 5_000 })
    const url = engine.restrictedUrl ?? ''
    await using outside = startChild(bridgeProgram(url))
    await outside.line(/namespace 'default' not allowed for this session/)
    await using _inside = startChild(bridgeProgram(url, ['--namespace', ALLOWED]))
    const places = async () => (await listFunctions(guard)).filter((row) => row.function_id === 'mcp::handler')
    await until(async () => (await places()).length > 0, { what: 'the other bridge' })
    expect(await places()).toMatchObject([{ namespace: ALLOWED }])
    expect(outside.stderr.filter((line) => line.includes('not allowed'))).toHaveLength(1)
  },
)
