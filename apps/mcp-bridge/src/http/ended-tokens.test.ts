import { startMockEngine } from '@iii/mock-engine'
import { MCP_CHANGED } from '@iii/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { type EventReader, openEvents, postInit } from '../testing/events.ts'

const [FIRST, SECOND] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })

/** The tokens of one principal that the file has. */
function toAuth(tokens: readonly string[], expires?: string) {
  const token = { name: 'ci', hash: tokens.map(toDigest), grant: 'all', ...(expires && { expires }) }
  return AuthBlock.parse({ tokens: tokens.length === 0 ? [] : [token], grants: { all: {} } })
}

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine, { options: { auth: toAuth([FIRST]) } })
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

const [ORDERS, RETURNS] = ['iii://orders', 'iii://returns']
const ADDRESSES = [ORDERS, RETURNS]

async function listen(token: string): Promise<EventReader> {
  const { meta, headers } = stateless('subscriptions/listen')
  const params = { notifications: { promptsListChanged: true, resourceSubscriptions: ADDRESSES }, _meta: meta }
  const message = { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }
  const events = await openEvents(bridge.url, postInit(message, { ...headers, ...as(token) }))
  await events.nextMessage()
  return events
}

async function openSession(token: string, protocolVersion: string) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const { headers } = await bridge.rpc('initialize', params, as(token))
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  for (const uri of ADDRESSES) await bridge.rpc('resources/subscribe', { uri }, { ...as(token), ...session })
  const open = (with_: string, more: Record<string, string> = {}) =>
    openEvents(bridge.url, { headers: { ...as(with_), ...session, accept: 'text/event-stream', ...more } })
  return { open, events: await open(token) }
}

const toUpdate = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })
const announce = (uri = ORDERS) =>
  bridge.other.trigger({ function_id: MCP_CHANGED, payload: { kind: 'resource', uri }, timeoutMs: 2_000 })

/** Ends the right of all tokens, and hands out how long the streams went on. */
const ENDS: readonly (readonly [string, number, () => void])[] = [
  [
    'when its token has expired',
    1_000,
    () => bridge.set({ auth: toAuth([FIRST], new Date(Date.now() + 300).toISOString()) }),
  ],
  ['when its token is taken out of the file', 3_000, () => bridge.set({ auth: toAuth([]) })],
]

describe('a stream that goes on by itself ends', () => {
  it.each(ENDS)('%s, in both eras, and tells nothing more', async (_, within, end) => {
    bridge.set({ auth: toAuth([FIRST]) })
    const sessions = [await openSession(FIRST, '2025-11-25'), await openSession(FIRST, '2025-06-18')]
    const listening = await listen(FIRST)
    const startedAt = performance.now()
    end()
    const heard = await Promise.all([...sessions.map(({ events }) => events), listening].map((each) => each.rest()))
    expect(performance.now() - startedAt).toBeLessThan(within + 500)
    const messages = heard.map((events) => events.flatMap(({ message }) => message ?? []))
    expect(messages.slice(0, 2)).toEqual([[], []])
    // A reply that ends says that it does.
    expect(messages[2]).toEqual([expect.objectContaining({ id: 7, result: expect.anything() })])
    expect((await bridge.rpc('ping', {}, as(FIRST))).status).toBe(401)
  })

  it('and tells nothing from the moment on that its token is gone, while another token is told', async () => {
    bridge.set({ auth: toAuth([FIRST, SECOND]) })
    const gone = [(await openSession(FIRST, '2025-11-25')).events, (await openSession(FIRST, '2025-06-18')).events]
    const streams = [...gone, await listen(FIRST)]
    const there = await listen(SECOND)
    // Each hears of one address, so what is not heard of the other is not for want of ears.
    await announce(RETURNS)
    for (const each of [...streams, there]) expect(await each.nextMessage()).toMatchObject(toUpdate(RETURNS))
    bridge.set({ auth: toAuth([SECOND]) })
    await announce()
    expect(await there.nextMessage()).toMatchObject(toUpdate(ORDERS))
    const rest = await Promise.all(streams.map((each) => each.rest()))
    expect(rest.flatMap((events) => events.flatMap(({ message }) => message?.['method'] ?? []))).toEqual([])
    there.leave()
  })

  it('and is taken up again, in the same session, with another token of the same principal', async () => {
    bridge.set({ auth: toAuth([FIRST]) })
    const { events, open } = await openSession(FIRST, '2025-11-25')
    const first = await events.next()
    bridge.set({ auth: toAuth([SECOND]) })
    await events.rest()
    // Nobody hears it: whoever comes back is told that everything may be another.
    await announce()
    expect((await open(FIRST, { 'last-event-id': first?.id ?? '' })).response.status).toBe(401)
    const next = await open(SECOND, { 'last-event-id': first?.id ?? '' })
    for (const kind of ['tools', 'prompts', 'resources']) {
      expect(await next.nextMessage()).toMatchObject({ method: `notifications/${kind}/list_changed` })
    }
    for (const uri of ADDRESSES) expect(await next.nextMessage()).toMatchObject(toUpdate(uri))
    await announce()
    expect(await next.nextMessage()).toMatchObject(toUpdate(ORDERS))
    next.leave()
  })

  it('and a call that was let in is answered all the same', async () => {
    bridge.set({ auth: toAuth([FIRST]) })
    let finish: (value: unknown) => void = () => undefined
    const called = new Promise<void>((resolve) => {
      bridge.other.registerFunction('slow::work', () => {
        resolve()
        return new Promise((done) => {
          finish = done
        })
      })
    })
    const reply = bridge.rpc('tools/call', { name: 'slow__work', arguments: {} }, as(FIRST))
    await called
    bridge.set({ auth: toAuth([]) })
    finish('done')
    expect((await reply).message.result).toMatchObject({ content: [{ text: 'done' }] })
  })
})
