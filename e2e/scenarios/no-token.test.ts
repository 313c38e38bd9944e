import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { type RawReply, sendHttp } from '../http-request.ts'
import { scenario } from '../scenario.ts'
import { toStateless } from '../stateless.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** How often a function of this file was called, whatever for. */
let called = 0
const count = () => ({ called: ++called })
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-untold::work', count)
  worker.registerFunction('e2e-untold::small', count, { metadata: { 'mcp.tier': 'small' } })
})

const ci = createTokenCaller({ name: 'ci', grant: 'all' })
const AUTH = { tokens: [ci.row], grants: { all: {}, small: { tiers: ['small'] } } }

async function startAsking(name: string, auth: object = AUTH) {
  const file = join(shared.folder, name)
  const write = (block: object) => writeFile(file, JSON.stringify({ auth: block }))
  const bridge = await startConfiguredBridge(shared.stack.engineUrl, file, { auth })
  const work = async () => (await askAs(ci.token, shared.stack.mcpUrl, 'tools/call', toCall('work'))).status === 200
  await until(work, { what: 'the tool to be called' })
  return { write, [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose]() }
}

const toCall = (name: string) => ({ name: `e2e-untold__${name}`, arguments: {} })

/** All that somebody without a token may try. @param session of somebody else */
function toAttempts(session: Readonly<Record<string, string>>): Record<string, () => Promise<RawReply>> {
  const { mcpUrl } = shared.stack
  const post = (method: string, params?: object, headers?: Readonly<Record<string, string>>) => () =>
    askAs(undefined, mcpUrl, method, params, headers)
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } }
  const postStateless = (method: string, own?: Readonly<Record<string, unknown>>) => {
    const { headers, params } = toStateless(method, own)
    return post(method, params, headers)
  }
  const work = toCall('work')
  const stream = { accept: 'text/event-stream' }
  return {
    call: post('tools/call', work),
    'call in a session': post('tools/call', work, session),
    'call in 2026-07-28': postStateless('tools/call', work),
    section: post('resources/read', { uri: 'iii://fn/e2e-untold/work' }),
    initialize: post('initialize', initialize),
    discover: postStateless('server/discover'),
    ping: post('ping'),
    'no request': post(''),
    GET: () => sendHttp(mcpUrl, { headers: stream }),
    'GET of a session': () => sendHttp(mcpUrl, { headers: { ...stream, ...session } }),
    DELETE: () => sendHttp(mcpUrl, { method: 'DELETE' }),
    'DELETE of a session': () => sendHttp(mcpUrl, { method: 'DELETE', headers: session }),
  }
}

scenario(
  ['access/none'],
  'without a token POST, GET and DELETE, the first requests of both eras too, are 401 with a challenge and reach nothing',
  async () => {
    const { mcpUrl } = shared.stack
    await using _ = await startAsking('none.yaml')
    const opened = await askAs(ci.token, mcpUrl, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const before = called
    for (const [what, attempt] of Object.entries(toAttempts(session))) {
      const { status, headers, body } = await attempt()
      // Revisions differ in how a reply says that it has no id, and a client that takes only streams gets an event.
      const { id = null, error } = JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '{}')
      const message = 'Unauthorized: send the header Authorization with a token of this server'
      const expected = [what, 401, 'Bearer realm="mcp"', null, { code: -32004, message }]
      expect([what, status, headers['www-authenticate'], id, error]).toEqual(expected)
    }
    // The session is nobody else's, and what was asked before would have been called before this.
    expect((await askAs(ci.token, mcpUrl, 'tools/call', toCall('work'), session)).status).toBe(200)
    expect(called).toBe(before + 1)
  },
)

scenario(
  ['access/none'],
  'where tokens of the file are all there is, both addresses of metadata are 404 until an issuer is named',
  async () => {
    const { httpUrl, mcpUrl } = shared.stack
    await using bridge = await startAsking('static.yaml', { ...AUTH, resource: mcpUrl })
    const root = `${httpUrl}/.well-known/oauth-protected-resource`
    const statuses = () => Promise.all([`${root}/mcp`, root].map(async (url) => (await sendHttp(url, {})).status))
    expect(await statuses()).toEqual([404, 404])
    const issuers = [{ issuer: 'https://login.example.com', audience: [mcpUrl], grants: [{ grant: 'all' }] }]
    await bridge.write({ ...AUTH, resource: mcpUrl, issuers })
    await until(async () => (await statuses())[0] === 200, { what: 'the metadata' })
    expect(await statuses()).toEqual([200, 404])
  },
)

scenario(
  ['access/bus'],
  'a bare message of a worker is refused while callers need a token, until the settings have a grant for it',
  async () => {
    const { worker } = shared.stack
    await using bridge = await startAsking('bus.yaml')
    const ask = (payload: unknown) => worker.trigger<unknown>({ function_id: 'mcp::handler', payload })
    const bare = (method: string, params: object = {}) => ask({ jsonrpc: '2.0', id: 7, method, params })
    const before = called
    const message = expect.stringMatching(/^Forbidden: this server answers no bare messages of the bus/)
    for (const [method, params] of [
      ['tools/call', toCall('work')],
      ['tools/call', toStateless('tools/call', toCall('work')).params],
      ['tools/list'],
      ['initialize', { protocolVersion: '2025-11-25', capabilities: {} }],
      ['server/discover', toStateless('server/discover').params],
      ['ping'],
    ] as const) {
      const answer = { jsonrpc: '2.0', id: 7, error: { code: -32004, message } }
      expect([method, await bare(method, params)]).toEqual([method, answer])
    }
    // One that looks like a request over HTTP needs what such a request needs.
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: toCall('work') }
    expect(await ask({ method: 'POST', headers, body })).toMatchObject({ status_code: 401 })
    expect(called).toBe(before)

    await bridge.write({ ...AUTH, bus: 'small' })
    const small = await until(
      async () => {
        const answer = (await bare('tools/call', toCall('small'))) as { result?: object }
        return answer.result
      },
      { what: 'the grant to count' },
    )
    expect(small).toMatchObject({ structuredContent: { called: before + 1 } })
    expect(await bare('tools/call', toCall('work'))).toMatchObject({ error: { code: -32602 } })
    expect(called).toBe(before + 1)
  },
)
