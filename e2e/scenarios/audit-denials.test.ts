import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readMcpSidecar } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuditRow, createAuditWitness, readAuditLines, sumOfRows } from '../audit-witness.ts'
import type { Child } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import { toIssuerRow, toRightClaims, toSeconds, toTokenPart } from '../issuer-tokens.ts'
import { openSession, postMessage, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** What the operator learns of each denial, and its caller does not. */
const cleanup = createCleanup()
const toHash = (text: string) => createHash('sha256').update(text).digest('hex')
const ALICE = createTokenCaller({ name: 'alice', grant: 'alice' })
const BOB = createTokenCaller({ name: 'bob', grant: 'bob' })
const HIDDEN = { 'e2e-denied::tier': { tier: 'ops' }, 'e2e-denied::scope': { scopes: ['orders:write'] } }
const FORM = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
const { batches, listen, told, untilRecorded: untilBoth } = createAuditWitness()
let stack: Stack
let server: IssuerServer
let bridge: Child

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  server = cleanup.use(await startIssuerServer())
  stack = cleanup.use(await startStack({ workers: [] }))
  offerFunctions()
  const issuers = [toIssuerRow(server, stack.mcpUrl, { clock_tolerance_s: 0, grants: [{ grant: 'bob' }] })]
  const grants = { alice: { scopes: ['*'] }, bob: { tiers: ['user'] } }
  const auth = { resource: stack.mcpUrl, tokens: [ALICE.row, BOB.row], issuers, grants }
  bridge = cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth }))
  const isThere = async () => {
    const { body } = await post(ALICE.token, 'tools/list')
    const isShown = ['ask', 'tier', 'scope'].every((name) => body.includes(`e2e-denied__${name}`))
    await post(ALICE.token, 'tools/call', { name: 'probe' })
    return isShown && told({ tool: 'probe' }).length > 0
  }
  await until(isThere, { what: 'the functions to be listed, and calls to be told' })
})
afterAll(() => cleanup.run())

function offerFunctions(): void {
  const { worker } = stack
  for (const [id, own] of Object.entries(HIDDEN))
    worker.registerFunction(id, () => 'secret', { metadata: { mcp: own } })
  worker.registerFunction('e2e-denied::ask', (_: unknown, metadata: unknown) =>
    readMcpSidecar(metadata)?.input_responses === undefined
      ? { result_type: 'input_required', input_requests: { sure: { method: 'elicitation/create', params: FORM } } }
      : { went: 'on' },
  )
  listen(worker, 'e2e-denied::on-call')
}

const as = (token: string) => ({ authorization: `Bearer ${token}` })

const post = (token: string, method: string, params?: object) => askAs(token, stack.mcpUrl, method, params)

/** Asks with a header Authorization that is as it is. */
const listWith = (authorization: string) => askAs(undefined, stack.mcpUrl, 'tools/list', {}, { authorization })

const logged = (what: AuditRow) => readAuditLines(bridge.stderr, what)
const untilRecorded = (what: AuditRow) => untilBoth(() => bridge.stderr, what)

const toClaims = (changes: object = {}) => toRightClaims(server, stack.mcpUrl, changes)

/** Tokens that have one thing wrong, by the word that the audit has for it. */
async function makeFlawed(): Promise<Readonly<Record<string, string>>> {
  const { idp } = server
  const [head, , signature] = (await idp.sign(toClaims())).split('.')
  const changed = toTokenPart(toClaims({ sub: 'root' }))
  return {
    expired: await idp.sign(toClaims({ exp: toSeconds() - 5 })),
    'not-yet-valid': await idp.sign(toClaims({ nbf: toSeconds() + 90 })),
    audience: await idp.sign(toClaims({ aud: 'https://other.example.com/mcp' })),
    'unknown-issuer': await idp.sign(toClaims({ iss: 'https://evil.example.com' })),
    'unknown-key': await idp.sign(toClaims(), { kid: 'nobody' }),
    malformed: `${signature}.${changed}.${signature}`,
    algorithm: `${toTokenPart({ alg: 'none', kid: 'first' })}.${changed}.${signature}`,
    signature: `${head}.${changed}.${signature}`,
    claims: await idp.sign(toClaims({ exp: undefined })),
    'kind-of-token': await idp.sign(toClaims({ at_hash: 'x' })),
    'nobody-named': await idp.sign(toClaims({ sub: undefined })),
  }
}

scenario(
  ['audit/flaws'],
  'the audit says what is wrong with a token, and its sender reads what all others read',
  async () => {
    expect((await post(await server.idp.sign(toClaims()), 'ping')).status).toBe(200)
    const shown = new Set<string>()
    const flawed = await makeFlawed()
    for (const token of Object.values(flawed)) {
      const { status, headers, body } = await post(token, 'tools/list')
      shown.add(JSON.stringify([status, headers['www-authenticate'], body]))
    }
    for (const code of Object.keys(flawed)) {
      const { line, event } = await untilRecorded({ kind: 'auth', code })
      const denied = { decision: 'auth', outcome: 'refused', code }
      expect([line, event]).toEqual([[expect.objectContaining(denied)], [expect.objectContaining(denied)]])
      expect(line[0]).not.toHaveProperty('principal')
    }
    expect([...shown]).toEqual([expect.stringContaining('[401,')])
    const all = bridge.stderr.join() + JSON.stringify(batches)
    for (const secret of Object.values(flawed).flatMap((token) => token.split('.').slice(1))) {
      expect(all).not.toContain(secret)
    }
  },
)

/** Headers without a token that could be read, by the word that the audit has for each. */
const BAD_HEADERS: Readonly<Record<string, string>> = {
  'empty-header': '',
  'header-too-long': `Bearer ${'a'.repeat(8_192)}`,
  'not-bearer': `Basic ${ALICE.token}`,
  'several-tokens': `Bearer ${ALICE.token}, Bearer ${BOB.token}`,
  'token-missing': 'Bearer',
}

scenario(
  ['audit/headers'],
  'the audit says what is wrong with a header, and its sender does not learn it',
  async () => {
    const shown = new Set<string>()
    for (const [code, authorization] of Object.entries(BAD_HEADERS)) {
      const { status, headers, body } = await listWith(authorization)
      shown.add(JSON.stringify([status, headers['www-authenticate'], body]))
      const { line } = await untilRecorded({ kind: 'auth', decision: 'auth', outcome: 'refused', code })
      expect(line).toHaveLength(1)
    }
    const unreadable = await listWith(`Bearer ${ALICE.token}\u00e9`)
    shown.add(JSON.stringify([unreadable.status, unreadable.headers['www-authenticate'], unreadable.body]))
    expect([...shown]).toEqual([expect.stringContaining('[401,')])
    await until(async () => sumOfRows(logged({ code: 'empty-header' })) === 2, {
      what: 'the unreadable header in the log',
    })
    const all = bridge.stderr.join() + JSON.stringify(batches)
    for (const { token } of [ALICE, BOB]) expect(all).not.toContain(token)
  },
)

scenario(['audit/hidden'], 'a call of what a grant hides is in the audit, and reads as one of nothing', async () => {
  const ada = await server.idp.sign(toClaims())
  const holders = [
    ['token:bob', BOB.token, { auth: 'token' }],
    [`jwt:${toHash(server.issuer).slice(0, 16)}:ada`, ada, { auth: 'jwt', issuer: server.issuer }],
  ] as const
  for (const [principal, token, who] of holders) {
    for (const function_id of Object.keys(HIDDEN)) {
      const name = function_id.replace('::', '__')
      const hidden = await post(token, 'tools/call', { name })
      const nothing = await post(token, 'tools/call', { name: 'e2e-denied__none' })
      expect(hidden.body.replaceAll(name, 'e2e-denied__none')).toBe(nothing.body)
      const { line, event } = await untilRecorded({ tool: name, principal })
      const denied = { kind: 'tool', ...who, function_id, decision: 'hidden', outcome: 'refused', code: 'unknown' }
      expect([line, event]).toEqual([
        [expect.objectContaining({ ...denied, why: 'grant' })],
        [expect.objectContaining(denied)],
      ])
    }
    const { line } = await untilRecorded({ tool: 'e2e-denied__none', principal })
    expect(line[0]).not.toHaveProperty('decision')
  }
})

/** As a client that can be asked. */
const openAskable = (token: string) => openSession(stack.mcpUrl, { elicitation: {} }, '2025-06-18', as(token))

scenario(
  ['audit/answers'],
  'an answer to what somebody else was asked is in the audit, and answers nothing',
  async () => {
    const session = await openAskable(ALICE.token)
    using call = postRequest(stack.mcpUrl, session, 'tools/call', { name: 'e2e-denied__ask', arguments: {} })
    const question = await until(async () => call.messages[0], { what: 'the question' })
    const answer = { id: question.id, result: { action: 'accept', content: {} } }
    const bob = await openAskable(BOB.token)
    const ways = [bob, as(BOB.token), { ...session, ...as(BOB.token) }]
    const statuses = []
    for (const headers of ways) statuses.push(await postMessage(stack.mcpUrl, headers, answer))
    expect(statuses).toEqual([202, 202, 404])
    const what = { kind: 'auth', code: 'foreign-answer', principal: 'token:bob', decision: 'auth', outcome: 'refused' }
    await until(async () => sumOfRows(logged(what)) === ways.length && sumOfRows(told(what)) === ways.length, {
      what: 'each of the answers to be in the log, and told',
    })
    expect(call.messages).toHaveLength(1)
    expect(await postMessage(stack.mcpUrl, session, answer)).toBe(202)
    expect((await call.over).at(-1)).toMatchObject({ result: { structuredContent: { went: 'on' } } })
    expect(logged({ code: 'foreign-answer', principal: 'token:alice' })).toEqual([])
  },
)
