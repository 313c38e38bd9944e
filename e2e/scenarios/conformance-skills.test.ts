import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startRelay } from '../conformance/relay.ts'
import { type AllowedSkips, formatScore } from '../conformance/score.ts'
import { startConformanceStack } from '../conformance/stack.ts'
import { runInEra } from '../conformance/suite.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'

/** The scenarios of the skills extension in every era, over either transport. The sets have them in the newest era alone. */
const SCENARIOS = { enumeration: 32, manifest: 6, directory: 7 }
const ERAS = ['2025-11-25', '2026-07-28']

const UNDEFINED_THERE = 'ttlMs and cacheScope are defined from 2026-07-28'
const CACHE_FIELDS: AllowedSkips = {
  scenarios: {},
  checks: {
    'sep-2640-skills-list-cache-attributes': UNDEFINED_THERE,
    'sep-2640-skills-get-cache-attributes': UNDEFINED_THERE,
  },
}

const cleanup = createCleanup()
const urls = new Map<string, string>()

beforeAll(async () => {
  const stack = cleanup.use(await startConformanceStack())
  const relay = cleanup.use(await startRelay(stdioBridge(stack.engineUrl)))
  urls.set('HTTP', stack.mcpUrl).set('stdio', relay.mcpUrl)
})
afterAll(() => cleanup.run())

for (const transport of ['HTTP', 'stdio']) {
  for (const era of ERAS) {
    scenario(
      ['conformance/skills'],
      `the official suite finds nothing wrong with skills and skips no check of them: ${transport}, ${era}`,
      async () => {
        const isOld = era < '2026'
        for (const [name, checks] of Object.entries(SCENARIOS)) {
          const url = urls.get(transport) ?? ''
          const score = await runInEra(`sep-2640-skills-${name}`, era, url, isOld ? CACHE_FIELDS : undefined)
          if (score.problems.length > 0) throw new Error(formatScore(`${name} ${era}`, score))
          const count = isOld && name === 'enumeration' ? checks - 2 : checks
          expect(score).toMatchObject({
            scored: { passed: 1, of: 1 },
            notRun: [],
            checks: { passed: count, of: count },
          })
        }
      },
    )
  }
}
