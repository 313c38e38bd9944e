import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { type BridgeReply, startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { EXTENSION, form, offerJob, TASK } from '../testing/tasks.ts'

const [ALICE, ALICES_NEXT, BOB] = [createToken(), createToken(), createToken()]
const auth = AuthBlock.parse({
  grants: { all: {} },
  tokens: [
    { name: 'alice', grant: 'all', hash: [toDigest(ALICE), toDigest(ALICES_NEXT)] },
    { name: 'bob', grant: 'all', hash: [toDigest(BOB)] },
  ],
})
const as = (token: string, others: Record<string, string> = {}) => ({ authorization: `Bearer ${token}`, ...others })

const start = (engine: MockEngine) => startBridge(engine, { options: { auth } })

async function initialize(bridge: TestBridge, headers: Record<string, string>): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const reply = await bridge.rpc('initialize', params, headers)
  return reply.headers.get('mcp-session-id') ?? ''
}

/** As a 2026-07-28 client that can be asked and takes tasks. */
function post(
  bridge: TestBridge,
  token: string,
  method: string,
  params: Record<string, unknown>,
): Promise<BridgeReply> {
  const { meta, headers } = stateless(method, String(params['taskId'] ?? params['name']))
  const capabilities = { elicitation: {}, extensions: { [EXTENSION]: {} } }
  const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities }
  return bridge.rpc(method, { ...params, _meta }, as(token, headers))
}

describe('a session', () => {
  it("is its principal's alone: for anybody else it is one that is not there", async () => {
    await using engine = await startMockEngine()
    await using bridge = await start(engine)
    const id = await initialize(bridge, as(ALICE))
    const forged = `${id.slice(0, -2)}AA`
    const tell = async (token: string, session: string, method: string) => {
      const headers = { ...as(token), 'mcp-session-id': session, accept: 'text/event-stream' }
      const reply = await fetch(bridge.url, { method, headers })
      return [reply.status, await reply.text()]
    }
    for (const method of ['GET', 'DELETE']) {
      expect(await tell(BOB, id, method)).toEqual(await tell(BOB, forged, method))
      expect((await tell(BOB, id, method))[0]).toBe(404)
    }
    const message = { jsonrpc: '2.0', id: 2 ** 51, result: {} }
    for (const body of [{ jsonrpc: '2.0', id: 1, method: 'ping' }, message]) {
      const [his, none] = await Promise.all(
        [id, forged].map((session) => bridge.post(body, as(BOB, { 'mcp-session-id': session }))),
      )
      expect([his?.status, his?.text]).toEqual([404, none?.text])
    }
    for (const token of [ALICE, ALICES_NEXT]) {
      expect((await bridge.rpc('ping', {}, as(token, { 'mcp-session-id': id }))).message.result).toEqual({})
    }
  })

  it('that was begun when nobody was asked who they are ends when somebody is, and the other way round', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const early = await initialize(bridge, {})
    bridge.set({ auth })
    expect((await bridge.rpc('ping', {}, as(ALICE, { 'mcp-session-id': early }))).status).toBe(404)
    const later = await initialize(bridge, as(ALICE))
    bridge.set({ auth: undefined })
    expect((await bridge.rpc('ping', {}, { 'mcp-session-id': later })).status).toBe(404)
    expect((await bridge.rpc('ping', {}, { 'mcp-session-id': early })).message.result).toEqual({})
  })
})

describe('a state that a client carries about', () => {
  it('is taken back from its principal alone, with any of its tokens', async () => {
    await using engine = await startMockEngine()
    await using bridge = await start(engine)
    bridge.other.registerFunction('orders::ask', (_, metadata) => {
      const { mcp } = metadata as { mcp: { request_state?: string } }
      if (mcp.request_state !== undefined) return `kept ${mcp.request_state}`
      return { result_type: 'input_required', input_requests: { sure: form }, request_state: 's' }
    })
    await bridge.other.ready()
    const name = 'orders__ask'
    const { message } = await post(bridge, ALICE, 'tools/call', { name })
    const again = {
      name,
      requestState: message.result?.['requestState'],
      inputResponses: { sure: { action: 'accept', content: {} } },
    }
    const his = await post(bridge, BOB, 'tools/call', again)
    expect(his.message.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('not given by this server'),
    })
    const hers = await post(bridge, ALICES_NEXT, 'tools/call', again)
    expect(hers.message.result).toMatchObject({ content: [{ text: 'kept s' }] })
  })
})

describe('a task', () => {
  it("is its principal's alone, on every bridge: for anybody else it is one that nobody began", async () => {
    await using engine = await startMockEngine()
    await using bridge = await start(engine)
    const job = offerJob(bridge.other, 'jobs::long', TASK.metadata)
    await bridge.other.ready()
    const begun = await post(bridge, ALICE, 'tools/call', { name: 'jobs__long', arguments: {} })
    const taskId = String(begun.message.result?.['taskId'])
    await using twin = await start(engine)
    for (const asked of [bridge, twin]) {
      for (const [method, more] of [
        ['tasks/get', {}],
        ['tasks/cancel', {}],
        ['tasks/update', { inputResponses: {} }],
      ] as const) {
        const [his, nobodys] = await Promise.all(
          [taskId, 'A'.repeat(32)].map((id) => post(asked, BOB, method, { taskId: id, ...more })),
        )
        expect(his?.message.error?.code).toBe(-32602)
        expect(his?.text.replaceAll(taskId, 'A'.repeat(32))).toBe(nobodys?.text)
      }
      const hers = await post(asked, ALICES_NEXT, 'tasks/get', { taskId })
      expect(hers.message.result).toMatchObject({ status: 'working' })
    }
    job.end('done')
  })
})

describe('what a function is told', () => {
  it('names whoever asks, and holds no token', async () => {
    await using engine = await startMockEngine()
    await using bridge = await start(engine)
    const seen: unknown[] = []
    bridge.other.registerFunction('orders::who', (_, metadata) => {
      seen.push(metadata)
      return 'ok'
    })
    await bridge.other.ready()
    await post(bridge, ALICE, 'tools/call', { name: 'orders__who' })
    expect(seen).toMatchObject([{ mcp: { principal: { id: 'token:alice', method: 'token', scopes: [] } } }])
    expect(JSON.stringify(seen)).not.toContain(ALICE)
  })
})
