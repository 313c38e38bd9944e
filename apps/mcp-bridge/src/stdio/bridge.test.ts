import { createServer } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startStdioBridge } from '../testing/stdio-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '9' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const SILENT = createLog({ name: 'other', level: 'silent' })
const TOOLS_CHANGED = 'notifications/tools/list_changed'

function readSubscription(params: Record<string, unknown> = {}): unknown {
  return (params['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/subscriptionId']
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a bridge on stdin and stdout', () => {
  it('serves tools in both eras, puts nothing on the HTTP port, and takes no function id from anybody', async () => {
    await using engine = await startMockEngine()
    await using other = registerWorker(engine.url, { name: 'other', log: SILENT })
    other.registerFunction('orders::create', (order: unknown) => ({ order }))
    await other.ready()
    await using client = startStdioBridge(engine.url)
    expect(await client.open()).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'iii-mcp' } })
    const call = { name: 'orders__create', arguments: { a: 1 } }
    const content = [{ type: 'text', text: expect.stringContaining('"a":1') }]
    for (const params of [{}, { _meta: CLAIM }]) {
      expect(await client.result('tools/list', params)).toMatchObject({ tools: [{ name: 'orders__create' }] })
      expect(await client.result('tools/call', { ...params, ...call })).toMatchObject({ content })
    }
    expect(await client.result('server/discover', { _meta: CLAIM })).toMatchObject({
      supportedVersions: ['2026-07-28'],
    })
    await client.worker.ready()
    expect((await fetch(`${engine.httpUrl}/mcp`, { method: 'POST' })).status).toBe(404)
    const own = `mcp::${client.worker.instance}::`
    expect(client.worker.functionIds.filter((id) => !id.startsWith(own))).toEqual(['mcp::changed'])
  })

  it('answers a probe before initialize at once, and methods that nobody knows', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9')
    for (const [method, params] of [
      ['server/discover', {}],
      ['x', {}],
      ['x', { _meta: CLAIM }],
      ['ping', { _meta: CLAIM }],
    ] as const) {
      expect(await client.request(method, params)).toMatchObject({ error: { code: -32601 } })
    }
    expect(await client.request('ping')).toMatchObject({ result: {} })
    expect(await client.result('server/discover', { _meta: CLAIM })).toHaveProperty('supportedVersions')
    expect(await client.request('resources/subscribe', { uri: 'iii://a' })).toMatchObject({ error: { code: -32600 } })
  })

  it('tells both kinds of listeners of a change, in one connection', async () => {
    await using engine = await startMockEngine()
    await using client = startStdioBridge(engine.url)
    await client.open()
    await client.result('tools/list')
    client.send({
      id: 'ear',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: CLAIM },
    })
    await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    await using other = registerWorker(engine.url, { name: 'other', log: SILENT })
    other.registerFunction('orders::create', () => ({}))
    const heard = () => client.messages.filter(({ method }) => method === TOOLS_CHANGED).map(({ params }) => params)
    await untilAnswer(heard, ({ length }) => length >= 2)
    expect(heard()).toEqual(
      expect.arrayContaining([{}, { _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' } }]),
    )
    client.notify('notifications/cancelled', { requestId: 'ear' })
    expect(await client.result('tools/list')).toMatchObject({ tools: [{ name: 'orders__create' }] })
    expect(client.messages.some(({ id }) => id === 'ear')).toBe(false)
  })

  it('asks its client while a function runs, shows progress, and lets the client cancel', async () => {
    await using engine = await startMockEngine()
    await using other = registerWorker(engine.url, { name: 'other', log: SILENT })
    const events: string[] = []
    other.registerFunction('jobs::ask', async (_: unknown, beside) => {
      const { mcp } = beside as { mcp: { call_id: string; via: string; input_responses?: object } }
      const payload = { call_id: mcp.call_id, progress: 1 }
      await other.trigger({ function_id: `${mcp.via}::progress`, payload })
      const params = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
      return mcp.input_responses === undefined
        ? {
            result_type: 'input_required',
            input_requests: { q: { method: 'elicitation/create', params } },
            request_state: '',
          }
        : { got: mcp.input_responses }
    })
    other.registerFunction('jobs::cancelled', () => void events.push('cancelled'))
    const hang = () => {
      events.push('called')
      return new Promise(() => undefined)
    }
    other.registerFunction('jobs::hang', hang, { metadata: { mcp: { cancel: 'jobs::cancelled' } } })
    await other.ready()
    await using client = startStdioBridge(engine.url)
    await client.open({ capabilities: { elicitation: {} } })
    client.send({ id: 1, method: 'tools/call', params: { name: 'jobs__ask', _meta: { progressToken: 't' } } })
    const question = await client.find(({ method }) => method === 'elicitation/create')
    expect(client.messages.at(-2)).toMatchObject({ method: 'notifications/progress', params: { progressToken: 't' } })
    client.send({ id: question.id, result: { action: 'accept', content: { name: 'Ada' } } })
    const { result } = await client.find(({ id }) => id === 1)
    expect(JSON.stringify(result)).toContain('Ada')
    client.send({ id: 2, method: 'tools/call', params: { name: 'jobs__hang' } })
    await untilAnswer(
      () => events.length,
      (count) => count === 1,
    )
    client.notify('notifications/cancelled', { requestId: 2 })
    await untilAnswer(
      () => events.length,
      (count) => count === 2,
    )
    expect(events).toEqual(['called', 'cancelled'])
    expect(client.messages.some(({ id }) => id === 2)).toBe(false)
  })

  it('keeps HTTP beside it where that is wanted', async () => {
    await using engine = await startMockEngine()
    await using client = startStdioBridge(engine.url, { http: true })
    await client.worker.ready()
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const reply = await fetch(`${engine.httpUrl}/mcp`, { method: 'POST', headers, body })
    expect(await reply.json()).toEqual(await client.request('ping').then((message) => ({ ...message, id: 1 })))
  })

  it('says why it is locked', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9', { locked: 'line 3: tier: must be a string' })
    expect(await client.request('initialize')).toMatchObject({
      error: { message: 'This server is locked by its configuration: line 3: tier: must be a string' },
    })
  })
})

describe('while the engine is away', () => {
  it('initialize is answered at once, lists after three seconds with what there is, and a call with the address', async () => {
    await using client = startStdioBridge('ws://somebody:secret@127.0.0.1:9/?token=hidden')
    const startedAt = performance.now()
    await client.open()
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    const [tools, prompts, call, read, after] = await Promise.all([
      client.result('tools/list'),
      client.result('prompts/list', { _meta: CLAIM }),
      client.result('tools/call', { name: 'orders__create' }),
      client.request('resources/read', { uri: 'iii://skills' }),
      client.request('ping').then(() => performance.now() - startedAt),
    ])
    expect(performance.now() - startedAt).toBeGreaterThan(2_900)
    expect(after).toBeLessThan(2_500)
    expect([tools, prompts]).toMatchObject([{ tools: [] }, { prompts: [], resultType: 'complete' }])
    const text = expect.stringMatching(
      /The iii engine at ws:\/\/127\.0\.0\.1:9\/? cannot be reached\. .* keeps trying .*log of this server/,
    )
    expect(call).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    expect(read).toMatchObject({ error: { code: -32603, message: text } })
    expect(client.lines.join()).not.toMatch(/secret|hidden|somebody/)
  })

  it('the tools that end what a client has started need no engine', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9', { options: { noBuiltins: false, allowRun: true } })
    await client.open()
    const calls = ['iii_worker_stop', 'iii_trigger_unregister'].map((name) =>
      client.result('tools/call', { name, arguments: { id: 'one' } }),
    )
    expect(await Promise.all(calls)).toMatchObject([
      { content: [{ text: 'Error: Worker not found: one' }] },
      { content: [{ text: 'Error: Trigger not found: one' }] },
    ])
  })

  it('lists hold what the bridge has of its own, in both eras', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9', { options: { noBuiltins: false } })
    await client.open()
    const names = async (method: string, member: string, params: object) =>
      ((await client.result(method, params))[member] as { name: string }[]).map(({ name }) => name)
    const lists = (params: object) =>
      Promise.all([
        names('tools/list', 'tools', params),
        names('prompts/list', 'prompts', params),
        names('resources/list', 'resources', params),
        names('resources/templates/list', 'resourceTemplates', params),
      ])
    for (const found of await Promise.all([lists({}), lists({ _meta: CLAIM })])) {
      expect(found.map((list) => list.length)).toEqual([6, 4, 4, 3])
      expect(found.map(([first]) => first)).toEqual([
        'iii_worker_register',
        'register-function',
        'Functions',
        'Function',
      ])
    }
  })

  it('lists that were given out too early are followed by the news that they have changed, in both eras', async () => {
    const port = await findFreePort()
    await using client = startStdioBridge(`ws://127.0.0.1:${port}`)
    await client.open()
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    client.send({ id: 'ear', method: 'subscriptions/listen', params: { notifications, _meta: CLAIM } })
    await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    const lists = ['tools/list', 'prompts/list', 'resources/list']
    const _meta = { degraded: expect.any(String) }
    expect(await Promise.all(lists.map((method) => client.result(method)))).toEqual([
      { tools: [] },
      { _meta, prompts: [] },
      { _meta, resources: [] },
    ])
    await using engine = await startMockEngine({ port })
    for (const kind of ['tools', 'prompts', 'resources']) {
      for (const id of [undefined, 'ear']) {
        await client.find(
          ({ method, params }) => method === `notifications/${kind}/list_changed` && readSubscription(params) === id,
        )
      }
    }
    expect(engine.url).toContain(String(port))
    expect((await client.result<{ tools: object[] }>('tools/list')).tools).toEqual([])
  })

  it('the last list stays, and a call made then is made when the engine is back in time', async () => {
    const port = await findFreePort()
    const first = await startMockEngine({ port })
    await using other = registerWorker(first.url, { name: 'other', log: SILENT })
    other.registerFunction('orders::create', () => ({ made: true }))
    await other.ready()
    await using client = startStdioBridge(first.url)
    await client.open()
    const list = await client.result('tools/list')
    await first[Symbol.asyncDispose]()
    await untilAnswer(
      () => client.worker.state,
      (state) => state !== 'connected',
    )
    expect(await client.result('tools/list')).toEqual(list)
    expect(await client.request('prompts/list')).toMatchObject({ error: { message: /cannot be reached/ } })
    await using _second = await startMockEngine({ port })
    await other.ready()
    await untilAnswer(
      () => client.result<{ isError?: boolean }>('tools/call', { name: 'orders__create' }),
      ({ isError }) => isError !== true,
    )
  })
})
