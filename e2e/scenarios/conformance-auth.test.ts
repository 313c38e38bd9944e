import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startAuthorizationServer } from '../authorization/authorization-server.ts'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { formatScore, type Score } from '../conformance/score.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { runSets, type SetName } from '../conformance/suite.ts'
import { startTokenRelay, type TokenRelay } from '../conformance/token-relay.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

/** The official suite against a bridge that asks for tokens, by way of a relay that has some, each of which ends while the suite runs. */
const cleanup = createCleanup()
let stack: ConformanceStack
let relay: TokenRelay
let scores: ReadonlyMap<SetName, Promise<Score>>

const SETS = ['2025-11-25', '2026-07-28'] as const
/** Three more than the relay keeps spare: the shorter set takes longer than that. */
const TOKEN_SECONDS = 9

beforeAll(async () => {
  const server = cleanup.use(await startAuthorizationServer({ tokenSeconds: TOKEN_SECONDS }))
  const { path } = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startConformanceStack())
  const mcpUrl = stack.mcpUrl.replace(/\/mcp$/, '/guarded')
  const file = join(path, 'mcp.yaml')
  const issuer = {
    issuer: server.issuer,
    audience: [mcpUrl],
    clock_tolerance_s: 0,
    require: ['mcp'],
    grants: [{ grant: 'all' }],
  }
  await writeFile(file, JSON.stringify({ auth: { resource: mcpUrl, issuers: [issuer], grants: { all: {} } } }))
  const flags = ['--config', file, '--api-path', 'guarded']
  const bridge = cleanup.use(startChild({ ...bridgeProgram(stack.engineUrl, flags), name: 'guarded' }))
  await bridge.line(/"msg":"ready"/)
  relay = cleanup.use(await startTokenRelay(mcpUrl, () => server.getMachineToken(mcpUrl, 'mcp')))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { 'content-type': 'application/json' }
  await until(
    async () =>
      (await (await fetch(relay.mcpUrl, { method: 'POST', headers, body })).text()).includes('test_tool_with_task'),
    { what: 'the fixtures behind the bridge that asks for tokens' },
  )
  expect((await fetch(mcpUrl, { method: 'POST', headers, body })).status).toBe(401)
  scores = runSets(SETS, relay.mcpUrl)
})
afterAll(() => cleanup.run())

/** How many scenarios count, and how many are only looked at: as many as without tokens. */
const EXPECTED = { '2025-11-25': [30, 3], '2026-07-28': [37, 12] } as const

for (const name of SETS) {
  scenario(
    ['conformance/auth'],
    `the official suite finds nothing wrong behind tokens that end meanwhile: ${name}`,
    async () => {
      const score = await scores.get(name)
      if (score === undefined) throw new Error(`${name} was not run`)
      if (score.problems.length > 0) throw new Error([formatScore(name, score), ...stack.deaths].join('\n'))
      const [scored, unscored] = EXPECTED[name]
      expect(score).toMatchObject({
        scored: { passed: scored, of: scored },
        unscored: { passed: unscored, of: unscored },
        warnings: 0,
      })
      expect(relay.tokens).toBeGreaterThan(1)
    },
  )
}
