import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { toExpectedScore } from '../conformance/expected-scores.ts'
import { type GuardedStack, listTools, startGuardedStack } from '../conformance/guarded-stack.ts'
import { formatScore, type Score } from '../conformance/score.ts'
import { runSkillsScenarios, SKILLS_ERAS } from '../conformance/skills-scenarios.ts'
import { runSets, SET_NAMES, type SetName } from '../conformance/suite.ts'
import { scenario } from '../scenario.ts'

/** The whole official suite against a bridge that asks for tokens, by way of a relay that has another one before the last one ends. */
const cleanup = createCleanup()
let stack: GuardedStack
let scores: ReadonlyMap<SetName, Promise<Score>>

beforeAll(async () => {
  stack = cleanup.use(await startGuardedStack())
  expect((await listTools(stack.guardedUrl)).status).toBe(401)
  scores = runSets(SET_NAMES, stack.relay.mcpUrl)
})
afterAll(() => cleanup.run())

for (const name of SET_NAMES) {
  scenario(
    ['conformance/auth'],
    `the official suite finds nothing wrong behind tokens that end meanwhile: ${name}`,
    async () => {
      const score = await scores.get(name)
      if (score === undefined) throw new Error(`${name} was not run`)
      if (score.problems.length > 0) throw new Error([formatScore(name, score), ...stack.deaths].join('\n'))
      expect(score).toMatchObject(toExpectedScore(name))
      expect(stack.relay.tokens).toBeGreaterThan(1)
    },
  )
}

for (const era of SKILLS_ERAS) {
  scenario(
    ['conformance/auth', 'conformance/skills'],
    `the official suite finds nothing wrong with skills behind tokens: ${era}`,
    async () => {
      const { scores: found, expected } = await runSkillsScenarios(era, stack.relay.mcpUrl)
      expect(found).toMatchObject(expected)
    },
  )
}
