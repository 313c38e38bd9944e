import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { OVER_STDIO } from '../conformance/over-stdio.ts'
import { type Relay, startRelay } from '../conformance/relay.ts'
import { formatScore } from '../conformance/score.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { runSet } from '../conformance/suite.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'

/** The official suite against bridges on stdio, by way of a relay: what `over-stdio.ts` leaves out is about HTTP itself. */
const cleanup = createCleanup()
let stack: ConformanceStack
let relay: Relay

beforeAll(async () => {
  stack = cleanup.use(await startConformanceStack())
  relay = cleanup.use(await startRelay(stdioBridge(stack.engineUrl)))
})
afterAll(() => cleanup.run())

/** How many scenarios count, how many are only looked at, and which are not run. Fewer would be another suite. */
const EXPECTED = {
  '2025-11-25': [28, 1, []],
  '2026-07-28': [35, 9, ['tasks-status-notifications']],
  pending: [12, 0, ['tasks-status-notifications']],
} as const

for (const name of OVER_STDIO.sets) {
  scenario(['conformance/stdio'], `the official suite finds nothing wrong over stdio: ${name}`, async () => {
    const score = await runSet(name, relay.mcpUrl, OVER_STDIO.leftOut)
    if (score.problems.length > 0) throw new Error([formatScore(name, score), ...stack.deaths].join('\n'))
    const [scored, unscored, notRun] = EXPECTED[name]
    expect(score).toMatchObject({
      scored: { passed: scored, of: scored },
      unscored: { passed: unscored, of: unscored },
      notRun,
      warnings: 0,
    })
    expect(relay.deaths).toEqual([])
  })
}
