import { request } from 'node:http'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { listen, openSession, postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** One client that takes all it can get, and the others. */
const cleanup = createCleanup()
let stack: Stack
let hanging = 0

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  worker.registerFunction('load::hang', () => {
    hanging += 1
    return new Promise(() => undefined)
  })
  worker.registerFunction('load::quick', () => 'done')
  await worker.ready()
})
afterAll(() => cleanup.run())

const QUICK = { name: 'load__quick' }

/** A call that takes a plain reply, and a connection that is closed as soon as the request is out. */
function callAndLeave(): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'load__hang' } }
  return new Promise((resolve) => {
    const outgoing = request(stack.mcpUrl, { method: 'POST', headers, agent: false })
    outgoing.on('error', () => undefined)
    outgoing.on('close', () => resolve())
    outgoing.on('socket', (socket) => socket.on('connect', () => setImmediate(() => outgoing.destroy())))
    outgoing.end(JSON.stringify(message))
  })
}

scenario(['load/shares'], 'calls that nobody waits for lock out nobody but others without a session', async () => {
  await Promise.all(Array.from({ length: 256 }, callAndLeave))
  const isRefused = async () => (await postRequest(stack.mcpUrl, {}, 'tools/call', QUICK).status) === 429
  await until(isRefused, { what: 'the share to be taken' })
  expect(hanging).toBeLessThanOrEqual(64)
  expect(await postStateless(stack.mcpUrl, 'tools/call', QUICK).status).toBe(429)
  const session = await openSession(stack.mcpUrl)
  const [message] = await postRequest(stack.mcpUrl, session, 'tools/call', QUICK).over
  expect(message).toMatchObject({ result: { content: [{ text: 'done' }] } })
})

for (const revision of ['2025-06-18', '2025-11-25']) {
  scenario(
    ['load/streams'],
    `the newest stream of a session is there after many reconnects, in ${revision}`,
    async () => {
      const session = await openSession(stack.mcpUrl, {}, revision)
      using other = listen(stack.mcpUrl, await openSession(stack.mcpUrl, {}, revision))
      const first = listen(stack.mcpUrl, session)
      for (let n = 0; n < 24; n++) {
        const reply = listen(stack.mcpUrl, session)
        await postRequest(stack.mcpUrl, session, 'ping').over
        reply.leave()
      }
      expect(await first.status).toBe(200)
      using last = listen(stack.mcpUrl, session)
      const heard = ({ messages }: typeof last) => messages.some(({ method }) => method?.endsWith('tools/list_changed'))
      await until(
        async () => {
          await stack.worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'tools' } })
          return heard(last) && heard(other)
        },
        { what: 'the newest stream, and that of somebody else, to bring a message' },
      )
    },
  )
}
