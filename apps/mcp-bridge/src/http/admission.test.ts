import { startMockEngine } from '@iii/mock-engine'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless } from '../testing/bridge.ts'
import { offerHeld } from '../testing/held-function.ts'
import { untilAnswer } from '../testing/until.ts'

const [CI, DESK, AUDIT] = [createToken(), createToken(), createToken()]
const auth = AuthBlock.parse({
  tokens: [
    { name: 'ci', hash: [toDigest(CI)], grant: 'all' },
    { name: 'desk', hash: [toDigest(DESK)], grant: 'all', limits: { per_minute: 60, burst: 3 } },
    { name: 'audit', hash: [toDigest(AUDIT)], grant: 'audit' },
  ],
  grants: { all: {}, audit: { tiers: ['audit'] } },
})
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const INIT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '1' } }

async function startStage(options: Parameters<typeof startBridge>[1] = {}) {
  const engine = await startMockEngine()
  const bridge = await startBridge(engine, { ...options, options: { auth, ...options.options } })
  const calls: unknown[] = []
  bridge.other.registerFunction('orders::create', (payload: unknown) => {
    calls.push(payload)
    return { ok: true }
  })
  await untilAnswer(
    () => bridge.rpc('tools/list', {}, as(CI)),
    ({ text }) => text.includes('orders__create'),
  )
  return {
    engine,
    bridge,
    calls,
    ask: (init: RequestInit, query = '') => fetch(bridge.url + query, init),
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

let stage: Awaited<ReturnType<typeof startStage>>
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage[Symbol.asyncDispose]())
afterEach(() => {
  stage.bridge.set({ auth })
  stage.calls.length = 0
})

describe('a bridge that asks for tokens', () => {
  it('answers every request without one with 401 and a challenge, and calls nothing', async () => {
    const { bridge, calls, ask } = stage
    const { meta, headers } = stateless('server/discover')
    const call = { name: 'orders__create', arguments: {} }
    const replies = [
      await bridge.rpc('tools/call', call),
      await bridge.rpc('tools/list'),
      await bridge.rpc('ping'),
      await bridge.rpc('initialize', INIT),
      await bridge.rpc('server/discover', { _meta: meta }, headers),
      await bridge.post('no JSON'),
      await bridge.post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    ]
    for (const { status, headers: heads, message } of replies) {
      expect([status, heads.get('www-authenticate')]).toEqual([401, 'Bearer realm="mcp"'])
      expect(message).toMatchObject({ error: { code: -32004, message: expect.stringMatching(/^Unauthorized: send/) } })
    }
    for (const method of ['GET', 'DELETE']) {
      const reply = await ask({ method, headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' } })
      expect([method, reply.status, reply.headers.get('www-authenticate')]).toEqual([method, 401, 'Bearer realm="mcp"'])
    }
    expect(calls).toEqual([])
  })

  it('serves a token of the file in sessions, without them and in 2026-07-28', async () => {
    const { bridge, calls, ask } = stage
    const call = { name: 'orders__create', arguments: { n: 1 } }
    const opened = await bridge.rpc('initialize', INIT, as(CI))
    const session = { ...as(CI), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const { meta, headers } = stateless('tools/call', 'orders__create')
    for (const reply of [
      await bridge.rpc('tools/call', call, session),
      await bridge.rpc('tools/call', call, as(CI)),
      await bridge.rpc('tools/call', { ...call, _meta: meta }, { ...headers, ...as(CI) }),
    ]) {
      expect(reply.message.result).toMatchObject({ structuredContent: { ok: true } })
    }
    expect(calls).toHaveLength(3)
    const ended = await ask({ method: 'DELETE', headers: session })
    expect(ended.status).toBe(204)
  })

  it('tells a bad token from none, and one bad token not from another', async () => {
    const bad = [createToken(), CI.slice(0, -1), 'x', 'a.b.c', toDigest(CI)].map(as)
    const headers = [...bad, { authorization: '' }, { authorization: 'Basic eDp5' }, { authorization: CI }]
    const replies = await Promise.all(headers.map((header) => stage.bridge.rpc('tools/list', {}, header)))
    const shown = replies.map(({ status, text, headers: heads }) => [status, text, heads.get('www-authenticate')])
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(shown[0]).toEqual([
      401,
      expect.stringContaining('Unauthorized: the token is not valid'),
      'Bearer realm="mcp", error="invalid_token", error_description="The token is not valid"',
    ])
  })

  it('refuses a token in the address, and says nothing of it', async () => {
    for (const name of ['token', 'access_token', 'api_key']) {
      const reply = await stage.ask({ method: 'POST', headers: as(CI), body: '{}' }, `?${name}=${CI}`)
      const text = await reply.text()
      expect([name, reply.status, text.includes(CI)]).toEqual([name, 400, false])
      expect(text).toContain('a token belongs into the header Authorization')
    }
  })

  it('looks at Host and Origin first', async () => {
    const { status } = await stage.bridge.rpc('ping', {}, { origin: 'https://evil.example' })
    expect(status).toBe(403)
  })

  it('has no metadata of an authorization server anywhere', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      expect([path, (await fetch(stage.engine.httpUrl + path)).status]).toEqual([path, 404])
    }
  })

  it('shows each token what its grant names, and calls nothing else for it', async () => {
    const { bridge, calls } = stage
    bridge.other.registerFunction('orders::audit', () => ({ audited: true }), { metadata: { 'mcp.tier': 'audit' } })
    const list = async (headers: Record<string, string>) =>
      (await bridge.result<{ tools: { name: string }[] }>('tools/list', {}, headers)).tools.map(({ name }) => name)
    await untilAnswer(
      () => list(as(CI)),
      (names) => names.includes('orders__audit'),
    )
    expect(await list(as(AUDIT))).toEqual(['orders__audit'])
    const call = (name: string) => bridge.rpc('tools/call', { name, arguments: {} }, as(AUDIT))
    expect((await call('orders__audit')).message.result).toMatchObject({ structuredContent: { audited: true } })
    const before = await call('orders__later')
    bridge.other.registerFunction('orders::later', () => ({ later: true }))
    await untilAnswer(
      () => list(as(CI)),
      (names) => names.includes('orders__later'),
    )
    expect((await call('orders__later')).text).toBe(before.text)
    expect((await call('orders__create')).message.error).toMatchObject({ code: -32602 })
    expect(calls).toEqual([])
  })

  it('serves callers without a token what their grant names, and bad tokens nothing', async () => {
    const { bridge } = stage
    bridge.set({
      auth: AuthBlock.parse({ ...auth, anonymous: { grant: 'audit', limits: { per_minute: 1, burst: 2 } } }),
    })
    expect((await bridge.rpc('tools/list')).text).not.toContain('orders__create')
    expect((await bridge.rpc('ping', {}, { authorization: 'Bearer x' })).status).toBe(401)
    const replies = [await bridge.rpc('ping'), await bridge.rpc('ping'), await bridge.rpc('ping', {}, as(CI))]
    expect(replies.map(({ status }) => status)).toEqual([200, 429, 200])
  })

  it('serves workers that send a bare message what the grant of the bus names', async () => {
    const { bridge } = stage
    bridge.set({ auth: AuthBlock.parse({ ...auth, bus: 'audit' }) })
    const payload = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
    const listed = await bridge.other.trigger({ function_id: 'mcp::handler', payload })
    expect(JSON.stringify(listed)).toContain('"result"')
    expect(JSON.stringify(listed)).not.toContain('orders__create')
  })

  it('counts the requests of each token, and serves the others meanwhile', async () => {
    const ping = (token: string) => stage.bridge.rpc('ping', {}, as(token))
    const replies = [await ping(DESK), await ping(DESK), await ping(DESK), await ping(DESK)]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    const [, , , last] = replies
    expect([last?.headers.get('retry-after'), last?.message.id]).toEqual(['1', 1])
    expect(last?.message.error).toMatchObject({ code: -32003, data: { retry_after_seconds: 1 } })
    expect((await ping(CI)).status).toBe(200)
    await untilAnswer(
      () => ping(DESK),
      ({ status }) => status === 200,
    )
  })

  it('bounds the calls of each token that are under way, and serves the others meanwhile', async () => {
    const { bridge } = stage
    const { running, finish } = offerHeld(bridge.other, 'orders::wait')
    const tokens = auth.tokens.map((token) => ({ ...token, limits: { concurrent: 2 } }))
    bridge.set({ auth: AuthBlock.parse({ ...auth, tokens }) })
    const wait = (token: string) => bridge.rpc('tools/call', { name: 'orders__wait', arguments: {} }, as(token))
    await untilAnswer(
      () => bridge.rpc('tools/list', {}, as(CI)),
      ({ text }) => text.includes('orders__wait'),
    )
    const first = [wait(CI), wait(CI)]
    await untilAnswer(running, (count) => count === 2)
    const third = await wait(CI)
    expect([third.status, third.headers.get('retry-after'), third.text]).toEqual([
      429,
      '1',
      expect.stringContaining('this caller has 2 under way, which is its limit'),
    ])
    const others = wait(DESK)
    await untilAnswer(running, (count) => count === 3)
    finish()
    expect((await Promise.all([...first, others])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await wait(CI)).status).toBe(200)
  })

  it('refuses bare messages of the bus, and HTTP requests of the bus without a token', async () => {
    const { other } = stage.bridge
    const handle = (payload: unknown) => other.trigger({ function_id: 'mcp::handler', payload: payload as object })
    const message = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
    expect(await handle(message)).toMatchObject({
      id: 7,
      error: { code: -32004, message: expect.stringMatching(/no bare messages of the bus/) },
    })
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: message }
    expect(await handle(request)).toMatchObject({ status_code: 401 })
    const known = { ...request, headers: { ...headers, ...as(CI) } }
    expect(await handle(known)).toMatchObject({ status_code: 200 })
  })

  it('gives browsers the page wherever they are, and its requests the challenge', async () => {
    stage.bridge.set({ allowedHosts: ['mcp.example.com'] })
    const page = await stage.ask({ headers: { accept: 'text/html' } })
    stage.bridge.set({ allowedHosts: [] })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const { status, headers } = await stage.bridge.rpc('ping', {}, { origin: 'http://localhost:5173' })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="mcp"'])
  })

  it('counts a change of the block at once', async () => {
    const { bridge } = stage
    const status = async (token: string) => (await bridge.rpc('ping', {}, as(token))).status
    bridge.set({
      auth: AuthBlock.parse({ tokens: [{ name: 'desk', hash: [toDigest(DESK)], grant: 'all' }], grants: { all: {} } }),
    })
    expect([await status(CI), await status(DESK)]).toEqual([401, 200])
    bridge.set({ auth: AuthBlock.parse({ mode: 'off' }) })
    expect((await bridge.rpc('ping')).status).toBe(200)
  })

  it('tells clients of a malformed block nothing but where it is', async () => {
    stage.bridge.set({}, "line 4: unknown key 'auth.tokens[0].grnat'; did you mean 'grant'?")
    const { status, text } = await stage.bridge.rpc('ping', {}, as(CI))
    expect([status, text.includes('tokens')]).toEqual([503, false])
    expect(text).toContain('line 4: auth: is not right')
  })
})
