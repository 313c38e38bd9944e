import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startRelay } from '../conformance/relay.ts'
import { runSkillsScenarios, SKILLS_ERAS } from '../conformance/skills-scenarios.ts'
import { startConformanceStack } from '../conformance/stack.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'

/** The scenarios of the skills extension in every era, over either transport. */
const cleanup = createCleanup()
const urls = new Map<string, string>()

beforeAll(async () => {
  const stack = cleanup.use(await startConformanceStack())
  const relay = cleanup.use(await startRelay(stdioBridge(stack.engineUrl)))
  urls.set('HTTP', stack.mcpUrl).set('stdio', relay.mcpUrl)
})
afterAll(() => cleanup.run())

for (const transport of ['HTTP', 'stdio']) {
  for (const era of SKILLS_ERAS) {
    scenario(
      ['conformance/skills'],
      `the official suite finds nothing wrong with skills and skips no check of them: ${transport}, ${era}`,
      async () => {
        const { scores, expected } = await runSkillsScenarios(era, urls.get(transport) ?? '')
        expect(scores).toMatchObject(expected)
      },
    )
  }
}
