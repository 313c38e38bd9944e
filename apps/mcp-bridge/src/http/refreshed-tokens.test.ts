import { randomUUID } from 'node:crypto'
import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { type IssuerServer, startIssuerServer } from '../testing/issuer-server.ts'
import { AUDIENCE, toIssuerRow, toRightClaims, toSeconds } from '../testing/issuer-tokens.ts'
import { EXTENSION, form, offerJob, TASK } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'

const INIT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }

let engine: MockEngine
let bridge: TestBridge
let servers: readonly [IssuerServer, IssuerServer]
let job: ReturnType<typeof offerJob>

beforeAll(async () => {
  engine = await startMockEngine()
  servers = [await startIssuerServer(), await startIssuerServer()]
  const issuers = servers.map((server) => toIssuerRow(server, AUDIENCE, { require: ['mcp'], clock_tolerance_s: 0 }))
  const auth = AuthBlock.parse({ resource: AUDIENCE, issuers, grants: { all: {} } })
  bridge = await startBridge(engine, { options: { auth } })
  job = offerJob(bridge.other, 'jobs::long', TASK.metadata)
  bridge.other.registerFunction('orders::ask', (_, metadata) => {
    const { mcp } = metadata as { mcp: { request_state?: string } }
    if (mcp.request_state !== undefined) return `kept ${mcp.request_state}`
    return { result_type: 'input_required', input_requests: { sure: form }, request_state: 's' }
  })
  await bridge.other.ready()
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
  for (const server of servers) await server[Symbol.asyncDispose]()
})

/** A new token each time, with which its bearer asks. */
async function signFor(changes: object = {}, [server] = servers): Promise<Record<string, string>> {
  const claims = toRightClaims(server, AUDIENCE, { jti: randomUUID(), ...changes })
  return { authorization: `Bearer ${await server.idp.sign(claims)}` }
}

/** Everybody who is somebody else than the user `ada` of the first issuer. */
const toStrangers = async (): Promise<readonly (readonly [string, Record<string, string>])[]> => [
  ['another user', await signFor({ sub: 'bob' })],
  ['a client of that name', await signFor({ sub: undefined, client_id: 'ada' })],
  ['a user who is called like a client', await signFor({ sub: '/client:ada' })],
  ['a user of that name, of another issuer', await signFor({ iss: servers[1].issuer }, [servers[1], servers[0]])],
]

/** As a client of 2026-07-28 that can be asked and takes tasks. */
function post(headers: Record<string, string>, method: string, params: Record<string, unknown>) {
  const { meta, headers: own } = stateless(method, String(params['taskId'] ?? params['name']))
  const capabilities = { elicitation: {}, extensions: { [EXTENSION]: {} } }
  const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities }
  return bridge.rpc(method, { ...params, _meta }, { ...own, ...headers })
}

describe('a new token of the same person', () => {
  it('goes on with the session, once the old one has ended too, and nobody else does', async () => {
    const short = await signFor({ exp: toSeconds() + 2 })
    const { headers } = await bridge.rpc('initialize', INIT, short)
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    const ping = async (token: Record<string, string>) =>
      (await bridge.rpc('ping', {}, { ...token, ...session })).status
    expect(await ping(short)).toBe(200)
    await untilAnswer(
      () => ping(short),
      (status) => status === 401,
    )
    expect(await ping(await signFor({ scope: 'mcp more' }))).toBe(200)
    for (const [who, token] of await toStrangers()) {
      expect([who, await ping(token), (await bridge.rpc('ping', {}, token)).status]).toEqual([who, 404, 200])
    }
  })

  it('goes on with a state that the client carries about, and nobody else does', async () => {
    const name = 'orders__ask'
    const { message } = await post(await signFor(), 'tools/call', { name })
    const inputResponses = { sure: { action: 'accept', content: {} } }
    const again = { name, requestState: message.result?.['requestState'], inputResponses }
    for (const [who, token] of await toStrangers()) {
      expect([who, (await post(token, 'tools/call', again)).message.error?.code]).toEqual([who, -32602])
    }
    const { result } = (await post(await signFor(), 'tools/call', again)).message
    expect(result).toMatchObject({ content: [{ text: 'kept s' }] })
  })

  it('asks after the task, and nobody else does', async () => {
    const begun = await post(await signFor(), 'tools/call', { name: 'jobs__long', arguments: {} })
    const taskId = String(begun.message.result?.['taskId'])
    for (const [who, token] of await toStrangers()) {
      for (const method of ['tasks/get', 'tasks/cancel']) {
        expect([who, method, (await post(token, method, { taskId })).message.error?.code]).toEqual([
          who,
          method,
          -32602,
        ])
      }
    }
    expect((await post(await signFor(), 'tasks/get', { taskId })).message.result).toMatchObject({ status: 'working' })
    job.end('done')
  })
})
