import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Child, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectClient } from '../clients.ts'
import { connectToEngine } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

/** An engine that somebody else started. It tells where it answers HTTP, as a real one does. */
beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
  const value = { host: '0.0.0.0', port: Number(new URL(stack.httpUrl).port) }
  stack.worker.registerFunction('configuration::get', () => ({ id: 'iii-http', value }))
  await stack.worker.ready({ timeoutMs: 5000 })
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
    expect(second.stderr).toMatch(/skills::register.* belong to worker skills$/m)
    expect(second.stderr).toMatch(/orders::create.* belong to worker orders$/m)
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
    const nobody = await runToEnd(startProgram(['--engine', 'ws://127.0.0.1:9']), 10_000)
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
