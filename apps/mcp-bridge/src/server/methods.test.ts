import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless, toBridgeReply } from '../testing/bridge.ts'

describe('initialize', () => {
  it('says who serves, what, and how to use it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    expect(await bridge.result('initialize', params)).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      },
      serverInfo: { name: 'iii-mcp', title: 'iii engine', version: '1.2.3' },
      instructions: expect.stringMatching(/iii:\/\/skills.*skill__fetch/),
    })
  })

  it('is answered with missing or partial params', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const params of [undefined, {}, { capabilities: 7, clientInfo: 'x' }]) {
      const { status, headers, message } = await bridge.rpc('initialize', params)
      expect([status, message.result?.['protocolVersion']]).toEqual([200, '2025-06-18'])
      expect(headers.get('mcp-session-id')).toMatch(/^[\x21-\x7e]{20,200}$/)
    }
    expect(await bridge.result('initialize', { protocolVersion: 'next' })).toMatchObject({
      protocolVersion: '2025-11-25',
    })
  })
})

describe('the methods of the older revisions', () => {
  it.each([
    ['ping', {}],
    ['tools/list', { tools: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['prompts/list', { prompts: [] }],
  ])('%s is answered without a session', async (method, result) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    expect(await bridge.result(method)).toMatchObject(result)
  })

  it.each(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])(
    '%s has one page, and no second one for a cursor',
    async (method) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      for (const cursor of [null, '']) expect(await bridge.result(method, { cursor })).not.toHaveProperty('nextCursor')
      const error = { code: -32602, message: expect.stringContaining("no page for a 'cursor': leave it out") }
      for (const cursor of ['x', 7, {}]) expect((await bridge.rpc(method, { cursor })).message).toMatchObject({ error })
    },
  )

  it.each(['server/discover', 'subscriptions/listen', 'tasks/get', 'nonsense', '__proto__'])(
    '%s is not among them',
    async (method) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { status, message } = await bridge.rpc(method)
      expect([status, message]).toEqual([
        200,
        { jsonrpc: '2.0', id: 1, error: { code: -32601, message: `Method not found: ${method}` } },
      ])
    },
  )

  it('take a notification or a response without a word', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'x' } },
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } },
    ]) {
      const { status, text } = await bridge.post(body)
      expect([status, text]).toEqual([202, ''])
    }
  })

  it('have no stream and nothing to end without a session', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const get = await toBridgeReply(await fetch(bridge.url, { headers: { accept: 'text/event-stream' } }))
    expect([get.status, get.headers.get('allow'), get.message.error?.code]).toEqual([405, 'POST, DELETE', -32000])
    const end = await toBridgeReply(await fetch(bridge.url, { method: 'DELETE' }))
    expect([end.status, end.headers.get('allow'), end.message.error?.code]).toEqual([405, 'POST', -32000])
  })
})

describe('the methods of 2026-07-28', () => {
  it.each([
    ['server/discover', { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {}, prompts: {} } }],
    ['tools/list', { tools: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['prompts/list', { prompts: [] }],
  ])('%s is answered with what the revision adds', async (method, result) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const { meta, headers } = stateless(method)
    const reply = await bridge.rpc(method, { _meta: meta }, headers)
    expect(reply.headers.get('mcp-session-id')).toBeNull()
    expect(reply.message.result).toMatchObject({
      ...result,
      resultType: 'complete',
      ttlMs: expect.any(Number),
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'iii-mcp', version: '1.2.3' } },
    })
  })

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'nonsense'])(
    '%s is not among them: 404',
    async (method) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { meta, headers } = stateless(method)
      const { status, message } = await bridge.rpc(method, { _meta: meta }, headers)
      expect([status, message.id, message.error?.code]).toEqual([404, 1, -32601])
    },
  )

  it('answer a claim that cannot be served with 400 and the revision’s own codes', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { meta, headers } = stateless('tools/list')
    const unknown = { ...meta, 'io.modelcontextprotocol/protocolVersion': 'v9' }
    for (const [params, sent, code] of [
      [{}, headers, -32602],
      [{ _meta: meta }, { ...headers, 'mcp-method': 'prompts/list' }, -32020],
      [{ _meta: meta }, {}, -32020],
      [{ _meta: unknown }, { ...headers, 'mcp-protocol-version': 'v9' }, -32022],
    ] as const) {
      const { status, message } = await bridge.rpc('tools/list', params, sent)
      expect([status, message.id, message.error?.code]).toEqual([400, 1, code])
    }
  })
})

describe('a reply', () => {
  it('is one event for a client that takes nothing else', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const accept = { accept: 'text/event-stream' }
    const ok = await bridge.rpc('ping', undefined, accept)
    expect(ok.headers.get('content-type')).toBe('text/event-stream')
    expect(ok.text).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
    const failed = await bridge.post('{', accept)
    expect([failed.status, failed.message.error?.code]).toEqual([400, -32700])
    expect(failed.text).toMatch(/^event: message\ndata: .*\n\n$/)
  })

  it.each([undefined, 'application/json', '*/*', 'application/json, text/event-stream'])(
    'is JSON for Accept %s',
    async (accept) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { headers, text } = await bridge.rpc('ping', undefined, { accept })
      expect(headers.get('content-type')).toBe('application/json')
      expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
    },
  )

  it('carries the id of its own request, whatever else is under way', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('echo::back', ({ n }: { n: number }) => ({ n }))
    await bridge.other.ready()
    const calls = Array.from({ length: 200 }, (_, n) =>
      bridge.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo__back', arguments: { n } } }),
    )
    const answers = (await Promise.all(calls)).map(({ message }) => message.result?.['structuredContent'])
    expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => ({ n })))
  })
})
