import { join } from 'node:path'
import { toFault } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { createAuditWitness, readAuditLines } from '../audit-witness.ts'
import type { Child } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import { toIssuerRow, toRightClaims } from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { askAs, createTokenCaller, type TokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** What is denied for other reasons than a bad token. */
let letGo: (() => void) | undefined
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-reasons::work', () => ({ done: true }))
  worker.registerFunction('e2e-reasons::hold', () => new Promise((resolve) => (letGo = () => resolve({ done: true }))))
})
const cleanup = createCleanup()
const witness = createAuditWitness()
const limits = { per_minute: 1, burst: 2 }
const ci = createTokenCaller({ name: 'ci', grant: 'all' })
const hasty = createTokenCaller({ name: 'hasty', grant: 'all', limits })
const busy = createTokenCaller({ name: 'busy', grant: 'all', limits: { concurrent: 1 } })
let server: IssuerServer
let away: IssuerServer
let bridge: Child

beforeAll(async () => {
  const { mcpUrl, engineUrl, worker } = shared.stack
  server = cleanup.use(await startIssuerServer())
  away = cleanup.use(await startIssuerServer())
  away.isUp = false
  const issuers = [server, away].map((each) => toIssuerRow(each, mcpUrl, { require: ['wide'] }))
  const tokens = [ci, hasty, busy].map(({ row }) => row)
  const auth = { resource: mcpUrl, tokens, issuers, grants: { all: {} } }
  bridge = cleanup.use(await startConfiguredBridge(engineUrl, join(shared.folder, 'mcp.yaml'), { auth }))
  witness.listen(worker, 'e2e-reasons::on-call')
  const isTold = async () => (await call(ci, 'work')).status === 200 && witness.told({ kind: 'tool' }).length > 0
  await until(isTold, { what: 'calls to be told' })
})
afterAll(() => cleanup.run())

const call = ({ token }: TokenCaller, name: string) =>
  askAs(token, shared.stack.mcpUrl, 'tools/call', { name: `e2e-reasons__${name}`, arguments: {} })
const ping = (token?: string, url = shared.stack.mcpUrl) => askAs(token, url, 'ping')
const sign = (of: IssuerServer) => of.idp.sign(toRightClaims(of, shared.stack.mcpUrl, { scope: 'narrow' }))

/** In the log and told alike. @param who as both say it; nothing where it is not known */
async function expectRecorded(what: object, who: object = {}): Promise<void> {
  const { line, event } = await witness.untilRecorded(() => bridge.stderr, { ...what, ...who })
  for (const row of [line[0], event[0]]) {
    expect(row).toMatchObject({ outcome: 'refused' })
    if (!('principal' in who)) expect(row).not.toHaveProperty('principal')
  }
}

scenario(['audit/denied'], 'who asks too often, or too much at once, is in the audit by name', async () => {
  const statuses = new Set<number>()
  for (let at = 0; at < 4; at += 1) statuses.add((await call(hasty, 'work')).status)
  expect(statuses).toEqual(new Set([200, 429]))
  await expectRecorded({ decision: 'limit', code: 'too-many-requests' }, { principal: 'token:hasty' })
  const held = call(busy, 'hold')
  await until(async () => letGo !== undefined, { what: 'the call to be under way' })
  expect((await call(busy, 'work')).status).toBe(429)
  await expectRecorded({ decision: 'limit', tool: 'e2e-reasons__work' }, { principal: 'token:busy' })
  letGo?.()
  expect((await held).status).toBe(200)
})

scenario(['audit/denied'], 'so is, without a name, whoever is refused for another reason than the token', async () => {
  const asked: readonly (readonly [code: string, status: number, ask: () => Promise<{ status: number }>])[] = [
    ['no-token', 401, () => ping()],
    ['token-in-query', 400, () => ping(ci.token, `${shared.stack.mcpUrl}?access_token=${ci.token}`)],
    ['insufficient-scope', 403, async () => ping(await sign(server))],
    ['keys-unavailable', 503, async () => ping(await sign(away))],
  ]
  for (const [code, status, ask] of asked) {
    expect([code, (await ask()).status]).toEqual([code, status])
    await expectRecorded({ kind: 'auth', decision: 'auth', code })
  }
  const payload = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const answer = await shared.stack.worker
    .trigger({ function_id: 'mcp::handler', payload, timeoutMs: 5_000 })
    .catch((error: unknown) => toFault(error).message)
  expect(JSON.stringify(answer)).toContain('answers no bare messages of the bus')
  await expectRecorded({ kind: 'auth', decision: 'auth', code: 'bus' })
})

scenario(['audit/denied'], 'all bad tokens are counted, one after the other and together', async () => {
  const bad = Array.from({ length: 400 }, (_, at) => ping(`guess-${at}`))
  const statuses = new Set((await Promise.all(bad)).map(({ status }) => status))
  expect(statuses).toEqual(new Set([401, 429]))
  for (const [decision, code] of [
    ['auth', 'unknown-token'],
    ['limit', 'too-many-failures'],
  ] as const) {
    await expectRecorded({ kind: 'auth', decision, code })
  }
  expect(readAuditLines(bridge.stderr, { kind: 'auth', principal: 'token:ci' })).toEqual([])
})
