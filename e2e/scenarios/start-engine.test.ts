import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectClient } from '../clients.ts'
import { connectToEngine } from '../facts.ts'
import { skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

/** An engine that somebody else started. */
beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

function startProgram(args: readonly string[]) {
  return { name: 'start', entry: new URL('../start/main.ts', import.meta.url), args }
}

async function startHere(args: readonly string[] = []): Promise<{ child: Child; mcpUrl: string }> {
  const child = cleanup.use(startChild(startProgram(['--engine', stack.engineUrl, ...args])))
  const [, mcpUrl = ''] = await child.line(/^Ready: (http:\S+)$/, 60_000)
  return { child, mcpUrl }
}

scenario(
  ['start/engine', 'start/engine-http', 'start/engine-owned'],
  'the workers run on the engine that is there, and a second start keeps off',
  async () => {
    const { child, mcpUrl } = await startHere()
    expect(mcpUrl).toBe(stack.mcpUrl)
    await using client = await connectClient('sdk 1.x', mcpUrl)
    expect((await client.listTools()).map(({ name }) => name)).toContain('orders__create')
    expect((await client.readResource('iii://orders/refunds'))[0]?.text).toContain('# Refunds')

    const second = await runToEnd(startProgram(['--engine', stack.engineUrl]))
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain('the route POST /mcp belongs to worker mcp (function mcp::handler)')
    expect(second.stderr).toMatch(/skills::\*.* belong to worker skills$/m)
    expect(second.stderr).toMatch(/orders::\*.* belong to worker orders$/m)
    expect(second.stderr).toContain('Nothing was started.')

    child.signal('SIGTERM')
    expect(await child.exited).toEqual({ code: 0, signal: null })
    await expect(stack.worker.trigger({ function_id: 'orders::list' })).rejects.toMatchObject({
      code: 'function_not_found',
    })
  },
)

scenario(['start/engine-owned'], 'one foreign id or one foreign route is enough to start nothing', async () => {
  const foreign = connectToEngine(stack.engineUrl, 'shop')
  foreign.registerFunction('orders::create', () => ({}))
  await foreign.ready({ timeoutMs: 5000 })
  const id = await runToEnd(startProgram(['--engine', stack.engineUrl]))
  expect(id).toMatchObject({ code: 1, stdout: '' })
  expect(id.stderr).toContain('  orders::create belongs to worker shop')
  await foreign.shutdown()

  const loud = connectToEngine(stack.engineUrl, '\u001b]0;owned\u0007\u001b[2Jmarket')
  loud.registerFunction('orders::create', () => ({}))
  await loud.ready({ timeoutMs: 5000 })
  const { stderr } = await runToEnd(startProgram(['--engine', stack.engineUrl]))
  expect(stderr).toMatch(/^ {2}orders::create belongs to worker [ -~]*market$/m)
  await loud.shutdown()

  await using proxy = connectToEngine(stack.engineUrl, 'proxy')
  proxy.registerFunction('proxy::handle', () => ({}))
  proxy.registerTrigger({
    type: 'http',
    function_id: 'proxy::handle',
    config: { api_path: 'mcp', http_method: 'POST' },
  })
  await proxy.ready({ timeoutMs: 5000 })
  const route = await runToEnd(startProgram(['--engine', stack.engineUrl]))
  expect(route).toMatchObject({ code: 1, stdout: '' })
  expect(route.stderr).toContain('  the route POST /mcp belongs to worker proxy (function proxy::handle)')
})

scenario(
  ['start/engine-version'],
  'an engine of a line that is not supported is named, and nothing is started',
  async () => {
    await using engine = await startMockEngine()
    await using other = connectToEngine(engine.url, 'other')
    other.registerFunction('engine::health::check', () => ({ status: 'healthy', version: '0.24.0' }))
    await other.ready({ timeoutMs: 5000 })
    const { code, stderr } = await runToEnd(startProgram(['--engine', engine.url]))
    expect(code).toBe(1)
    expect(stderr).toContain(
      `Engine 0.24.0 at ${engine.url} is newer than 0.23 and not supported yet: use 0.22.1 or later`,
    )
    await using skills = startChild(skillsProgram(engine.url))
    await skills.line(/this engine is newer than 0\.23 and not supported yet: use 0\.22\.1 or later/)
  },
)

scenario(['start/engine-http'], '--http-url counts more than what the engine says', async () => {
  const { child, mcpUrl } = await startHere(['--http-url', stack.httpUrl.replace('127.0.0.1', 'localhost')])
  expect(mcpUrl).toBe(stack.mcpUrl.replace('127.0.0.1', 'localhost'))
  child.signal('SIGTERM')
  expect(await child.exited).toEqual({ code: 0, signal: null })
})

scenario(
  ['start/engine-unreachable'],
  'no engine, and something else in its place, are told apart and start nothing',
  async () => {
    const nobody = await runToEnd(startProgram(['--engine', 'ws://ada:secret@127.0.0.1:9?token=secret']), 10_000)
    expect(nobody).toMatchObject({ code: 1, stdout: '' })
    expect(nobody.stderr).toBe('No engine at ws://127.0.0.1:9: nothing listens there.\nNothing was started.')

    const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const other = await runToEnd(startProgram(['--engine', url]), 25_000)
    server.close()
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toContain(`Something listens at ${url}, but it does not answer like an engine.`)
  },
)

/** Without these calls an engine of ours cannot be had without its HTTP side or its state: a worker takes them away. */
async function hideTypes(engineUrl: string) {
  const worker = connectToEngine(engineUrl, 'thief')
  worker.registerFunction('engine::triggers::list', () => ({ triggers: [{ id: 'cron' }] }))
  await worker.ready({ timeoutMs: 5000 })
  return worker
}

async function removeState(engineUrl: string): Promise<void> {
  await using worker = connectToEngine(engineUrl, 'thief')
  for (const name of ['get', 'set', 'delete', 'list']) worker.registerFunction(`state::${name}`, () => null)
  await worker.ready({ timeoutMs: 5000 })
}

scenario(['start/engine-parts'], 'an engine without state or HTTP is told what it lacks, at once', async () => {
  await using engine = await startMockEngine()
  const { url } = engine
  await removeState(url)
  const state = await runToEnd(startProgram(['--engine', url]), 20_000)
  expect(state).toMatchObject({ code: 1, stdout: '' })
  expect(state.stderr).toBe(
    [
      `The engine at ${url} runs without its worker iii-state, which start needs.`,
      "Add to the list `workers:` of that engine's config.yaml:",
      '  - name: iii-state',
      'Nothing was started.',
    ].join('\n'),
  )
  await using _thief = await hideTypes(url)
  const both = await runToEnd(startProgram(['--engine', url]), 20_000)
  expect(both).toMatchObject({ code: 1, stdout: '' })
  expect(both.stderr).toContain('runs without its workers iii-http and iii-state, which start needs.')
  expect(both.stderr).toContain('  - name: iii-http\n    config: { host: 127.0.0.1, port: 3111 }\n')
})

scenario(['start/engine-proof'], 'an address of another engine is not announced, whoever names it', async () => {
  await using engine = await startMockEngine()
  await using other = await startMockEngine()
  const given = await runToEnd(startProgram(['--engine', engine.url, '--http-url', other.httpUrl]), 20_000)
  expect(given).toMatchObject({ code: 1, stdout: '' })
  expect(given.stderr).toBe(
    [
      `${other.httpUrl} does not lead to the engine at ${engine.url}: another server answers there (404).`,
      'Say where that engine answers HTTP: --http-url http://HOST:PORT',
      'Nothing was started.',
    ].join('\n'),
  )

  await using worker = connectToEngine(engine.url, 'settings')
  let value: object = { host: '0.0.0.0', port: other.httpPort }
  worker.registerFunction('configuration::get', () => ({ id: 'iii-http', value }))
  await worker.ready({ timeoutMs: 5000 })
  const told = await runToEnd(startProgram(['--engine', engine.url]), 20_000)
  expect(told).toMatchObject({ code: 1, stdout: '' })
  expect(told.stderr).toContain(`${other.httpUrl} does not lead to the engine at ${engine.url}, although its config`)

  value = { host: '0.0.0.0' }
  const untold = await runToEnd(startProgram(['--engine', engine.url]), 20_000)
  expect(untold).toMatchObject({ code: 1, stdout: '' })
  expect(untold.stderr).toContain(`The engine at ${engine.url} does not tell its HTTP port. Say where`)
  const routes = await engine.call('engine::registered-triggers::list', { trigger_type: 'http' })
  expect(routes).toEqual({ registered_triggers: [] })
})
