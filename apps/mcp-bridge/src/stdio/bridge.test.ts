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
