import { startMockEngine } from '@iii/mock-engine'
import { readMcpSidecar, toViaIds } from '@iii/protocol'
import { createLog, registerMcpFunction, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'
import { createGateway } from '../testing/tasks.ts'

/** A bridge in one namespace, which shows another one, and a worker there. */
async function startStage(own: string | undefined, elsewhere: string) {
  const engine = await startMockEngine({ engine: '0.23' })
  const namespace = own === undefined ? {} : { namespace: own }
  const bridge = await startBridge(engine, { ...namespace, options: { namespaces: [elsewhere] } })
  const log = createLog({ name: 'test', level: 'silent' })
  const worker = registerWorker(engine.url, { name: 'jobs', namespace: elsewhere, log })
  return {
    bridge,
    worker,
    /** Calls the tool as a client of a session. */
    async call(tool: string, headers: Record<string, string> = {}) {
      const params = { name: `${elsewhere}___${tool}`, _meta: { progressToken: 'p' } }
      return openEvents(bridge.url, postInit({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers))
    },
    async open(): Promise<Record<string, string>> {
      const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
      const { headers } = await bridge.rpc('initialize', hello)
      return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    },
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
      await bridge[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

describe.each([
  [undefined, 'orders'],
  ['orders', 'default'],
])('a bridge in %s that calls a function of %s', (own, elsewhere) => {
  it('hears what it reports, and ends the stream when it says so', async () => {
    await using on = await startStage(own, elsewhere)
    registerMcpFunction(on.worker, 'jobs::run', async (_, { progress, closeStream }) => {
      await progress(1, 2)
      await closeStream()
      return 'done'
    })
    await on.worker.ready()
    const session = await on.open()
    const events = await (await on.call('jobs__run', session)).rest()
    expect(events.flatMap(({ message }) => message ?? [])).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    ])
    const last = events.findLast(({ id }) => id !== undefined)?.id ?? ''
    const headers = { accept: 'text/event-stream', 'last-event-id': last, ...session }
    const later = await openEvents(on.bridge.url, { headers })
    expect(await later.nextMessage()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    later.leave()
  })

  it('tells its worker that the client has left', async () => {
    await using on = await startStage(own, elsewhere)
    const gateway = createGateway()
    const reasons: string[] = []
    registerMcpFunction(on.worker, 'jobs::run', async (_, { signal }) => {
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      gateway.pass(undefined)
      await ended
      reasons.push((signal.reason as Error).message)
    })
    await on.worker.ready()
    const session = await on.open()
    const call = on.call('jobs__run', session)
    await gateway.passed
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await on.bridge.post(cancelled, session)
    await expect.poll(() => reasons).toEqual(['The client has cancelled the call'])
    await call.then((events) => events.leave())
  })

  it('says of functions beside it which ones the client may see, few or many', async () => {
    await using on = await startStage(own, elsewhere)
    const { worker, bridge } = on
    for (const id of ['jobs::both', 'jobs::elsewhere']) worker.registerFunction(id, () => 1)
    worker.registerFunction('jobs::off', () => 1, { metadata: { 'mcp.expose': false } })
    for (const id of ['jobs::off', 'jobs::here']) bridge.other.registerFunction(id, () => 1)
    const ids = ['jobs::both', 'jobs::elsewhere', 'jobs::off', 'jobs::here', 'state::get']
    const many = Array.from({ length: 100 }, (_, at) => `nobody::n${at}`)
    worker.registerFunction('jobs::ask', async (_: unknown, metadata) => {
      const { call_id, via = '', via_namespace: namespace } = readMcpSidecar(metadata) ?? {}
      const ask = (function_ids: readonly string[]) =>
        worker.trigger({ function_id: toViaIds(via).visible, namespace, payload: { call_id, function_ids } })
      return { few: await ask(ids), many: await ask([...many, ...ids]) }
    })
    await Promise.all([worker.ready(), bridge.other.ready()])
    const { structuredContent } = await bridge.call(`${elsewhere}___jobs__ask`)
    const visible = ['jobs::both', 'jobs::elsewhere']
    expect(structuredContent).toMatchObject({ few: { visible }, many: { visible } })
  })
})

it('a function of the namespace that its bridge is in is told of none', async () => {
  for (const own of [undefined, 'orders']) {
    await using on = await startStage(own, 'shop')
    on.bridge.other.registerFunction('jobs::tell', (_: unknown, metadata) =>
      Object.keys(readMcpSidecar(metadata) ?? {}),
    )
    await on.bridge.other.ready()
    const { content } = await on.bridge.call('jobs__tell')
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(['call_id', 'via', 'client_capabilities'])
  }
})
