import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { type IdentityHeaders, openSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const SETTINGS = 'mcp-session-settings'
const INDEX = 'mcp-session-index'
const OLDER_ENDED = 'mcp-sessions-ended'
const DAY = 24 * 3_600_000

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

const state = <T>(name: string, payload: object) =>
  stack.worker.trigger<T>({ function_id: `state::${name}`, payload, timeoutMs: 20_000 })

/** The rows of a scope that belong to these sessions; on an engine of others there may be more. */
async function rowsOf(scope: string, has: string): Promise<Record<string, unknown>[]> {
  const rows = await state<Record<string, unknown>[]>('list', { scope })
  return rows.filter((row) => JSON.stringify(row).includes(has))
}

async function request(session: IdentityHeaders, method: string, params: object = {}) {
  const [message] = await postRequest(stack.mcpUrl, session, method, params).over
  return message
}

const subscribe = (session: IdentityHeaders, uri: string) => request(session, 'resources/subscribe', { uri })
const status = async (session: IdentityHeaders) => await postRequest(stack.mcpUrl, session, 'ping').status
const end = (session: IdentityHeaders) => sendHttp(stack.mcpUrl, { method: 'DELETE', headers: session })

const newHandle = () => randomBytes(12).toString('base64url')
const newWord = () => `w${randomBytes(8).toString('hex')}`

/** Asks by the bus, which costs a tenth of the way over HTTP. */
const initialize = () =>
  stack.worker.trigger<{ status_code: number; headers: Record<string, string>; body: string }>({
    function_id: 'mcp::handler',
    payload: {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      },
    },
  })

scenario(
  ['sessions/bounded'],
  'a session may store 32 KiB, is told so, and what it has stored goes with it, at once and with an idle session',
  async () => {
    const session = await openSession(stack.mcpUrl)
    const word = newWord()
    const uri = (n: number) => `iii://${word}-${n}/${'x/'.repeat(500)}y`
    let refusal: string | undefined
    let count = 0
    while (refusal === undefined && count < 100) refusal = (await subscribe(session, uri(count++)))?.error?.message
    expect(refusal).toMatch(/may take 32768 bytes together; unsubscribe from some/)
    const [row] = await until(
      async () => {
        const rows = await rowsOf(SETTINGS, word)
        return rows.length > 0 && rows
      },
      { what: 'the subscriptions to be stored' },
    )
    expect(JSON.stringify(row).length).toBeLessThan(34_000)
    await end(session)
    await until(async () => (await rowsOf(SETTINGS, word)).length === 0, { what: 'the row to go with its session' })
    expect(await rowsOf(INDEX, `"${String(row?.['handle'])}":{`)).toEqual([])
  },
)

scenario(
  ['sessions/burst'],
  'fifty subscriptions are written once or twice, and a bridge that is started then has all of them',
  async () => {
    const session = await openSession(stack.mcpUrl)
    const word = newWord()
    let writes = 0
    const listener = stack.worker.registerFunction('test::writes', (event: object) => {
      if (JSON.stringify(event).includes(word)) writes += 1
      return {}
    })
    const trigger = stack.worker.registerTrigger({
      type: 'state',
      function_id: 'test::writes',
      config: { scope: SETTINGS },
    })
    await stack.worker.ready()
    await Promise.all(Array.from({ length: 50 }, (_, n) => subscribe(session, `iii://${word}/${n}`)))
    const stored = async () => (await rowsOf(SETTINGS, word))[0]?.['subscriptions'] as string[] | undefined
    await until(async () => (await stored())?.length === 50, { what: 'all of them to be stored', deadlineMs: 5_000 })
    expect(writes).toBeLessThanOrEqual(3)
    trigger.unregister()
    listener.unregister()
    await stack.stop('mcp')
    await stack.startBridge()
    await request(session, 'resources/unsubscribe', { uri: `iii://${word}/7` })
    await until(async () => (await stored())?.length === 49, { what: 'the restarted bridge to have the others' })
    await end(session)
  },
)

scenario(
  ['sessions/older-store'],
  'a bridge that is started on what an older version has stored keeps what counts, serves, and removes the rest',
  async () => {
    const [ended, used] = [await openSession(stack.mcpUrl), await openSession(stack.mcpUrl)]
    const word = newWord()
    await subscribe(used, `iii://${word}/kept`)
    const kept = await until(async () => (await rowsOf(SETTINGS, word))[0], { what: 'the subscription to be stored' })
    await end(ended)
    await stack.stop('mcp')
    // An older version knew no index, and had a row for each session that has ended.
    const parts = await rowsOf(INDEX, '')
    const handles = parts.filter(({ key }) => /^ended-/.test(String(key))).flatMap((part) => Object.keys(part))
    for (const { key } of parts) await state('delete', { scope: INDEX, key })
    const now = Date.now()
    for (const handle of [...handles.filter((name) => name !== 'key'), newHandle()]) {
      await state('set', { scope: OLDER_ENDED, key: handle, value: { handle, expires_at: now + DAY } })
    }
    const subscriptions = Array.from({ length: 256 }, (_, n) => `iii://${word}/${n}`.padEnd(1_100, 'x'))
    for (let n = 0; n < 20; n++) {
      const handle = newHandle()
      const times = { used_at: now, expires_at: now + DAY }
      const value = { handle, log_level: 'info', subscriptions, writer: 'w', ...times }
      await state('set', { scope: SETTINGS, key: handle, value })
    }
    await stack.startBridge()
    expect([await status(ended), await status(used)]).toEqual([404, 200])
    await until(async () => (await rowsOf(SETTINGS, word)).length === 1, { what: 'what is too much to be removed' })
    await until(async () => (await rowsOf(OLDER_ENDED, '')).length === 0, {
      what: 'the rows of ended sessions to be removed',
    })
    expect((await rowsOf(SETTINGS, word))[0]?.['handle']).toBe(kept['handle'])
    expect([await status(ended), await status(used)]).toEqual([404, 200])
    await end(used)
  },
)

scenario(['sessions/crowd'], 'ten thousand sessions that are begun and never used end no other', async () => {
  const session = await openSession(stack.mcpUrl)
  expect((await request(session, 'tools/list'))?.result).toBeDefined()
  for (let n = 0; n < 10_200; n += 300) await Promise.all(Array.from({ length: 300 }, initialize))
  expect(await status(session)).toBe(200)
  await end(session)
})

scenario(
  ['sessions/ended'],
  'an ended session stays ended after two hundred thousand others, and no session begins any more',
  async () => {
    const [ended, open] = [await openSession(stack.mcpUrl), await openSession(stack.mcpUrl)]
    await end(ended)
    await stack.stop('mcp')
    const expiry = Math.ceil((Date.now() + DAY) / 1000)
    const parts = Array.from({ length: 800 }, (_, part) => `ended-${part + 1}`)
    const names = Array.from({ length: 256 }, newHandle)
    for (const key of parts) {
      const ends = Object.fromEntries(names.map((name) => [`${name.slice(0, 12)}${key}`, expiry]))
      await state('set', { scope: INDEX, key, value: { key, ...ends } })
    }
    await stack.startBridge()
    const refused = async () => {
      const reply = await initialize()
      return reply.status_code === 429 && reply
    }
    const reply = await until(refused, { what: 'the bridge to have read them' })
    expect(reply.headers['retry-after']).toBe('60')
    expect(reply.body).toMatch(/Too many sessions have ended before their time: .* try again later/)
    expect([await status(ended), await status(open)]).toEqual([404, 200])
    await end(open)
    expect(await status(open)).toBe(404)
    await stack.stop('mcp')
    await Promise.all(parts.map((key) => state('delete', { scope: INDEX, key })))
    await stack.startBridge()
    await until(async () => (await initialize()).status_code === 200, { what: 'sessions to begin again' })
  },
)
