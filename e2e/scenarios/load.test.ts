import { request } from 'node:http'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { type LiveReply, openSession, openSessionStream, postRequest, postStateless } from '../raw-client.ts'
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
  worker.registerFunction('load::long', () => new Promise(() => undefined), { metadata: { mcp: { task: 'required' } } })
  worker.registerFunction('load::may', () => 'done', { metadata: { mcp: { task: 'optional' } } })
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

scenario(
  ['load/tasks'],
  'tasks that take all the room leave ordinary calls, and cancelled ones leave tasks',
  async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
      postStateless(stack.mcpUrl, method, params, capabilities)
    const call = async (name: string) => (await ask('tools/call', { name }).over)[0]
    const begun = await Promise.all(Array.from({ length: 128 }, () => call('load__long')))
    const ids = begun.map((message) => message?.result?.['taskId'])
    expect(ids.every((id) => typeof id === 'string')).toBe(true)
    const refused = ask('tools/call', { name: 'load__long' })
    expect([await refused.status, (await refused.over)[0]?.error?.code]).toEqual([429, -32_003])
    expect(await call('load__may')).toMatchObject({ result: { resultType: 'complete', content: [{ text: 'done' }] } })
    await Promise.all(ids.map((taskId) => ask('tasks/cancel', { taskId }).over))
    for (const name of ['load__long', 'load__may']) {
      const { resultType, taskId } = (await call(name))?.result ?? {}
      expect(resultType).toBe('task')
      await ask('tasks/cancel', { taskId }).over
    }
  },
)

// Its calls go on for a while: it stands behind what needs the share of callers without a session.
scenario(['load/shares'], 'calls that nobody waits for lock out nobody but others without a session', async () => {
  // An engine that is busy may see that a client has left before it has read what it asked.
  const isRefused = async () => {
    await Promise.all(Array.from({ length: 256 }, callAndLeave))
    return (await postRequest(stack.mcpUrl, {}, 'tools/call', QUICK).status) === 429
  }
  await until(isRefused, { what: 'the share to be taken' })
  expect(hanging).toBeLessThanOrEqual(64)
  expect(await postStateless(stack.mcpUrl, 'tools/call', QUICK).status).toBe(429)
  const session = await openSession(stack.mcpUrl)
  const [message] = await postRequest(stack.mcpUrl, session, 'tools/call', QUICK).over
  expect(message).toMatchObject({ result: { content: [{ text: 'done' }] } })
})

/** Waits until each of them brings a message of its own. */
async function untilHeard(replies: readonly LiveReply[]): Promise<void> {
  const before = replies.map(({ messages }) => messages.length)
  const hears = async () => {
    await stack.worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'tools' } })
    return replies.every(({ messages }, index) => messages.length > (before[index] ?? 0))
  }
  await until(hears, { what: 'the streams to bring a message' })
}

for (const revision of ['2025-06-18', '2025-11-25']) {
  scenario(['load/streams'], `the newest stream of a session is there after many others, in ${revision}`, async () => {
    const open = () => openSession(stack.mcpUrl, {}, revision)
    const [session, theirs] = [await open(), await open()]
    using other = openSessionStream(stack.mcpUrl, theirs)
    using first = openSessionStream(stack.mcpUrl, session)
    await untilHeard([other, first])
    const opened = Array.from({ length: 16 }, () => openSessionStream(stack.mcpUrl, session))
    await first.over
    expect(await first.status).toBe(200)
    for (let n = 0; n < 24; n++) {
      const left = openSessionStream(stack.mcpUrl, session)
      await postRequest(stack.mcpUrl, session, 'ping').over
      left.leave()
    }
    using last = openSessionStream(stack.mcpUrl, session)
    await untilHeard([last, other])
    for (const stream of opened) stream.leave()
  })

  scenario(['load/streams'], `streams that come in crowds end in order, or stay, in ${revision}`, async () => {
    const sessions = await Promise.all([0, 1].map(() => openSession(stack.mcpUrl, {}, revision)))
    const crowd = () =>
      sessions.flatMap((session) => Array.from({ length: 32 }, () => openSessionStream(stack.mcpUrl, session)))
    const streams = [...crowd(), ...crowd()]
    const statuses = await Promise.all(streams.map(({ status }) => status))
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    let over = 0
    for (const stream of streams) void stream.over.then(() => over++)
    await until(() => over === streams.length - 2 * 16, { what: 'the others to end' })
    for (const stream of streams) stream.leave()
  })
}

scenario(['load/stream-shares'], 'those who listen without a session have half of all streams', async () => {
  const ask = () => postStateless(stack.mcpUrl, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const listeners = Array.from({ length: 512 }, ask)
  const statuses = await Promise.all(listeners.map(({ status }) => status))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const refused = ask()
  expect(await refused.status).toBe(429)
  expect((await refused.over)[0]?.error?.message).toContain('for all without a session')
  using session = openSessionStream(stack.mcpUrl, await openSession(stack.mcpUrl))
  expect(await session.status).toBe(200)
  for (const listener of listeners) listener.leave()
})
