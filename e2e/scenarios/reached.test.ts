import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine } from '../facts.ts'
import { bridgeProgram, WORKER_READY } from '../programs.ts'
import { startRawWorker } from '../raw-worker.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const PING = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
}

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

scenario(['http/ready'], 'a bridge that says ready is reached over HTTP', async () => {
  await using bridge = startChild(bridgeProgram(stack.engineUrl))
  await bridge.line(WORKER_READY)
  expect((await fetch(stack.mcpUrl, PING)).status).toBe(200)
})

scenario(
  ['http/ready'],
  'a bridge whose route leads nowhere says what blocks it, and not that it is ready',
  async () => {
    const owner = connectToEngine(stack.engineUrl, 'owner')
    cleanup.use({ [Symbol.asyncDispose]: () => owner.shutdown() })
    owner.registerFunction('poison::get', () => 'done')
    owner.registerTrigger({ type: 'http', function_id: 'poison::get', config: { api_path: '/poison/:a' } })
    await owner.ready()
    await using _other = await startRawWorker(stack.engineUrl, [{ id: 'poison::post' }], {
      function_id: 'poison::post',
      config: { api_path: '/poison/:b', http_method: 'POST' },
    })
    await using bridge = startChild(bridgeProgram(stack.engineUrl))
    await bridge.line(
      /nor is \/mcp, \/mcp\/health reached\. Most likely a path that another worker registered has broken the engine's HTTP router/,
    )
    expect(bridge.stderr.filter((line) => WORKER_READY.test(line))).toEqual([])
    expect((await fetch(stack.mcpUrl, PING)).status).toBe(404)
  },
)
