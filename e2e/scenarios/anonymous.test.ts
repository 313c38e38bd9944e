import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { callWithLines, toBadLines } from '../authorization-lines.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import { toIssuerRow, toRightClaims, toSeconds } from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { inventToken } from '../tokens.ts'
import { until } from '../until.ts'

/** How often a function of this file was called, whatever for. */
let called = 0
const count = () => ({ called: ++called })
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-anonymous::work', count)
  worker.registerFunction('e2e-anonymous::small', count, { metadata: { 'mcp.tier': 'small' } })
})
const cleanup = createCleanup()
const ci = createTokenCaller({ name: 'ci', grant: 'all' })
const old = createTokenCaller({ name: 'old', grant: 'all', expires: '2020-01-01' })
let server: IssuerServer
let away: IssuerServer

beforeAll(async () => {
  const { mcpUrl, engineUrl } = shared.stack
  server = cleanup.use(await startIssuerServer())
  away = cleanup.use(await startIssuerServer())
  away.isUp = false
  const issuers = [server, away].map((each) => toIssuerRow(each, mcpUrl, { require: ['mcp'] }))
  const grants = { all: {}, small: { tiers: ['small'] } }
  const anonymous = { grant: 'small' }
  const auth = { mode: 'required', resource: mcpUrl, tokens: [ci.row, old.row], issuers, grants, anonymous }
  cleanup.use(await startConfiguredBridge(engineUrl, join(shared.folder, 'mcp.yaml'), { auth }))
  for (const name of ['work', 'small']) {
    await until(async () => (await call(name, ci.token)).body.includes('"called'), { what: `${name} to be called` })
  }
})
afterAll(() => cleanup.run())

const call = (name: string, token?: string) =>
  askAs(token, shared.stack.mcpUrl, 'tools/call', { name: `e2e-anonymous__${name}`, arguments: {} })
const sign = (of: IssuerServer, changes: object = {}) => of.idp.sign(toRightClaims(of, shared.stack.mcpUrl, changes))

async function listWith(token?: string): Promise<string[]> {
  const { body } = await askAs(token, shared.stack.mcpUrl, 'tools/list')
  const { tools } = JSON.parse(body).result as { tools: { name: string }[] }
  return tools.map(({ name }) => name).filter((name) => name.startsWith('e2e-anonymous__'))
}

scenario(
  ['access/anonymous'],
  'whoever shows no token sees and calls what the grant for those names, and nothing else is there',
  async () => {
    const before = called
    expect(await listWith()).toEqual(['e2e-anonymous__small'])
    expect(JSON.parse((await call('small')).body).result.structuredContent).toEqual({ called: before + 1 })
    const hidden = await call('work')
    expect([hidden.status, JSON.parse(hidden.body).error.code]).toEqual([200, -32602])
    expect(hidden.body.replaceAll('__work', '__none')).toBe((await call('none')).body)
    expect(called).toBe(before + 1)
    for (const token of [ci.token, await sign(server)]) {
      expect((await listWith(token)).sort()).toEqual(['e2e-anonymous__small', 'e2e-anonymous__work'])
    }
  },
)

scenario(['access/anonymous'], 'whoever shows a bad token is refused, also what needs none', async () => {
  const before = called
  const wrong = inventToken()
  const name = 'e2e-anonymous__small'
  const send = (lines: readonly string[]) => callWithLines(shared.stack.mcpUrl, name, lines)
  const expected = await send([`Bearer ${wrong}`])
  expect(expected.head[0]).toContain(' 401 ')
  expect(expected.head.join('\n')).toContain('error="invalid_token"')
  const bad = {
    ...toBadLines({ good: ci.token, wrong, long: wrong.repeat(200).slice(0, 8_192) }),
    'a token of the file that has ended': [`Bearer ${old.token}`],
    'a token of an issuer that has ended': [`Bearer ${await sign(server, { exp: toSeconds() - 31 })}`],
    'a token for somebody else': [`Bearer ${await sign(server, { aud: 'https://other.example.com' })}`],
    'a token of an issuer that is not named': [`Bearer ${await sign(server, { iss: 'https://evil.example.com' })}`],
  }
  for (const [what, lines] of Object.entries(bad))
    expect({ what, ...(await send(lines)) }).toEqual({ what, ...expected })
  // Those that are not known to be bad are not taken for no token either.
  expect((await call('small', await sign(server, { scope: 'other' }))).status).toBe(403)
  expect((await call('small', await sign(away))).status).toBe(503)
  const { status } = await askAs(undefined, `${shared.stack.mcpUrl}?access_token=${wrong}`, 'tools/call', { name })
  expect(status).toBe(400)
  expect(called).toBe(before)
  expect((await send([])).body).toContain('"called')
})
