import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { toExpectedScore } from '../conformance/expected-scores.ts'
import { type GuardedStack, startGuardedStack } from '../conformance/guarded-stack.ts'
import { formatScore, type Score } from '../conformance/score.ts'
import { runSets, type SetName } from '../conformance/suite.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

/** The official suite by way of a relay that has another token only once it is told that the last one does not count any more. */
const SETS = ['2025-11-25', '2026-07-28'] as const
const cleanup = createCleanup()
let stack: GuardedStack
let before: number
let scores: ReadonlyMap<SetName, Promise<Score>>

beforeAll(async () => {
  stack = cleanup.use(await startGuardedStack({ looksAhead: false }))
  // Each set takes longer than that, so that the token ends meanwhile.
  await until(async () => stack.relay.leftMs < 2_000, { what: 'the token to be about to end' })
  before = stack.relay.refused
  scores = runSets(SETS, stack.relay.mcpUrl)
})
afterAll(() => cleanup.run())

for (const name of SETS) {
  scenario(
    ['conformance/auth'],
    `a token that ends in the middle of the official suite is refused, and with the next one nothing is wrong: ${name}`,
    async () => {
      const score = await scores.get(name)
      if (score === undefined) throw new Error(`${name} was not run`)
      if (score.problems.length > 0) throw new Error([formatScore(name, score), ...stack.deaths].join('\n'))
      expect(score).toMatchObject(toExpectedScore(name))
      expect(stack.relay.refused).toBeGreaterThan(before)
    },
  )
}
