import { Readable } from 'node:stream'
import { startMockEngine } from '@iii/mock-engine'
import { createLog } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'
import { createSessions, SESSION_LIFE_MS } from './index.ts'
import { createSessionStore } from './store.ts'

const hello = {
  protocolVersion: '2025-03-26',
  capabilities: { elicitation: {}, roots: { listChanged: true } },
  clientInfo: { name: 'claude-ai', version: '0.1' },
}

async function open(bridge: TestBridge): Promise<string> {
  const { headers } = await bridge.rpc('initialize', hello)
  return headers.get('mcp-session-id') ?? ''
}

async function ping(bridge: TestBridge, session: string): Promise<number> {
  return (await bridge.rpc('ping', undefined, { 'mcp-session-id': session })).status
}

async function end(bridge: TestBridge, session: string): Promise<number> {
  return (await fetch(bridge.url, { method: 'DELETE', headers: { 'mcp-session-id': session } })).status
}

describe('a session', () => {
  it('says with each call who asks', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('who::asks', (_, metadata) => ({ metadata }))
    await bridge.other.ready()
    const session = await open(bridge)
    const { message } = await bridge.rpc('tools/call', { name: 'who__asks' }, { 'mcp-session-id': session })
    expect(message.result?.['structuredContent']).toMatchObject({
      metadata: {
        mcp: {
          client: { name: 'claude-ai', version: '0.1' },
          client_capabilities: { elicitation: {}, roots: { listChanged: true } },
        },
      },
    })
  })

  it('goes on with a bridge that was restarted', async () => {
    await using engine = await startMockEngine()
    let session = ''
    {
      await using first = await startBridge(engine)
      session = await open(first)
    }
    await using second = await startBridge(engine)
    expect(await ping(second, session)).toBe(200)
    expect(await ping(second, await open(second))).toBe(200)
  })

  it('is known to a twin on the same engine, and ended there too', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine)
    await using twin = await startBridge(engine, { options: { apiPath: '/twin' } })
    const [a, b] = [await open(first), await open(twin)]
    expect([await ping(twin, a), await ping(first, b)]).toEqual([200, 200])
    expect(await end(first, a)).toBe(204)
    expect(
      await untilAnswer(
        () => ping(twin, a),
        (status) => status === 404,
      ),
    ).toBe(404)
    expect(await ping(twin, b)).toBe(200)
  })

  it('is readable for both of two bridges that start at once', async () => {
    await using engine = await startMockEngine()
    const bridges = await Promise.all([startBridge(engine), startBridge(engine, { options: { apiPath: '/b' } })])
    const sessions = await Promise.all(bridges.map(open))
    for (const bridge of bridges) {
      for (const session of sessions) expect(await ping(bridge, session)).toBe(200)
    }
    for (const bridge of bridges) await bridge[Symbol.asyncDispose]()
  })

  it('stays ended after a restart', async () => {
    await using engine = await startMockEngine()
    let session = ''
    {
      await using first = await startBridge(engine)
      session = await open(first)
      expect(await end(first, session)).toBe(204)
      expect(await end(first, session)).toBe(404)
    }
    await using second = await startBridge(engine)
    expect(await ping(second, session)).toBe(404)
  })

  it('that is forged or ended is 404 for every kind of message, so that the client starts anew', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const ended = await open(bridge)
    await end(bridge, ended)
    for (const id of ['x', ended, `${ended.slice(0, -1)}_`, 'A'.repeat(80)]) {
      const headers = { 'mcp-session-id': id }
      const call = await bridge.rpc('tools/list', undefined, headers)
      expect([call.status, call.message]).toEqual([
        404,
        { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Session not found: initialize again' } },
      ])
      const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
      expect((await bridge.post(notification, headers)).status).toBe(404)
      expect(await end(bridge, id)).toBe(404)
    }
    expect((await bridge.rpc('initialize', hello, { 'mcp-session-id': ended })).status).toBe(200)
  })

  it('takes notifications', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const headers = { 'mcp-session-id': await open(bridge) }
    expect((await bridge.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202)
  })

  it('needs an MCP-Protocol-Version that is served, where there is one', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const session = { 'mcp-session-id': await open(bridge) }
    const known = await bridge.rpc('ping', undefined, { ...session, 'mcp-protocol-version': '2025-03-26' })
    const unknown = await bridge.rpc('ping', undefined, { ...session, 'mcp-protocol-version': '1999-01-01' })
    expect([known.status, unknown.status]).toEqual([200, 400])
  })
})

describe('session keys and tombstones', () => {
  const log = createLog({ name: 'mcp', level: 'silent' })

  it('outlive an engine that forgets them', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const [open_, ended] = [await open(bridge), await open(bridge)]
    await end(bridge, ended)
    const { other } = bridge
    await other.trigger({ function_id: 'state::delete', payload: { scope: 'mcp-session-keys', key: 'keys' } })
    const keys = () => other.trigger({ function_id: 'state::get', payload: { scope: 'mcp-session-keys', key: 'keys' } })
    await untilAnswer(keys, (row) => row !== undefined && row !== null)
    await using second = await startBridge(engine, { options: { apiPath: '/b' } })
    expect([await ping(second, open_), await ping(second, ended)]).toEqual([200, 404])
  })

  it('are a bridge’s own when the engine has no state, which the log says', async () => {
    const said: string[] = []
    const loud = { ...log, warn: (_: object | string, text?: string) => said.push(text ?? '') }
    const down = () => Promise.reject(new Error('function_not_found'))
    const store = {
      keys: down,
      addKey: down,
      part: down,
      changePart: down,
      row: down,
      setRow: down,
      removeRow: down,
      wasEnded: down,
      scopes: down,
      stream: () => Readable.from([]),
      drop: down,
    }
    const sessions = createSessions({ store, log: loud as unknown as typeof log })
    await sessions.load()
    expect(said).toEqual([expect.stringMatching(/state is not available/)])
    const id = sessions.mint({ revision: '2025-06-18', capabilities: {}, client: undefined }, EVERYBODY)
    expect(await sessions.enter(id, EVERYBODY)).toBeDefined()
    expect(await sessions.end(id, EVERYBODY)).toBe(true)
    expect(await sessions.enter(id, EVERYBODY)).toBeUndefined()
  })

  it('are learned for all requests that come to a bridge before it has read them', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const store = createSessionStore(bridge.other, 2_000)
    const [first, started] = [createSessions({ store, log }), createSessions({ store, log })]
    await first.load()
    const id = first.mint({ revision: '2025-06-18', capabilities: {}, client: undefined }, EVERYBODY)
    const entered = await Promise.all(Array.from({ length: 3 }, () => started.enter(id, EVERYBODY)))
    expect(entered.map((session) => session?.facts.revision)).toEqual(Array(3).fill('2025-06-18'))
  })

  it('expire, and with them what was kept of ended sessions', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const store = createSessionStore(bridge.other, 2_000)
    let now = Date.now()
    const sessions = createSessions({ store, log, now: () => now })
    await sessions.load()
    const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }
    const [kept, ended] = [sessions.mint(asked, EVERYBODY), sessions.mint(asked, EVERYBODY)]
    await sessions.end(ended, EVERYBODY)
    const stored = async () => Object.keys((await store.part('ended-0')) ?? {}).filter((name) => name !== 'key')
    expect(await stored()).toHaveLength(1)
    now += SESSION_LIFE_MS - 2_000
    expect(await sessions.enter(kept, EVERYBODY)).toBeDefined()
    now += 2_001
    expect(await sessions.enter(kept, EVERYBODY)).toBeUndefined()
    const started = createSessions({ store, log, now: () => now })
    await started.load()
    expect(await untilAnswer(stored, (handles) => handles.length === 0)).toEqual([])
  })
})
