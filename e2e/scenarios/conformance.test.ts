import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { toExpectedScore } from '../conformance/expected-scores.ts'
import { formatScore, type Score } from '../conformance/score.ts'
import { type ConformanceStack, startConformanceStack } from '../conformance/stack.ts'
import { runSets, SET_NAMES, type SetName } from '../conformance/suite.ts'
import { scenario } from '../scenario.ts'

const cleanup = createCleanup()
let stack: ConformanceStack
let scores: ReadonlyMap<SetName, Promise<Score>>

beforeAll(async () => {
  stack = cleanup.use(await startConformanceStack())
  scores = runSets(SET_NAMES, stack.mcpUrl)
})
afterAll(() => cleanup.run())

for (const name of SET_NAMES) {
  scenario(['conformance/sets'], `the official suite finds nothing wrong: ${name}`, async () => {
    const score = await scores.get(name)
    if (score === undefined) throw new Error(`${name} was not run`)
    if (score.problems.length > 0) throw new Error([formatScore(name, score), ...stack.deaths].join('\n'))
    expect(score).toMatchObject(toExpectedScore(name))
  })
}

async function runCommand(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const entry = new URL('../conformance/main.ts', import.meta.url)
  const { code, stdout, stderr } = await runToEnd({ name: 'conformance', entry, args })
  return { code, stdout, stderr }
}

scenario(['conformance/command'], 'the command tells the score of a bridge that is already there', async () => {
  const there = await runCommand('--', '--set', '2025-03-26', '--url', stack.mcpUrl)
  expect(there).toEqual({ code: 0, stdout: '2025-03-26  scored 1/1, 0 warnings, 3/3 checks', stderr: '' })
  const elsewhere = await runCommand('--set', '2025-03-26', '--url', `${stack.mcpUrl}/elsewhere`)
  expect(elsewhere).toMatchObject({ code: 1, stdout: expect.stringMatching(/scored 0\/1.+server-session-lifecycle/s) })
  const torn = await runCommand('--stdio', '--url', stack.mcpUrl)
  expect(torn).toMatchObject({ code: 2, stderr: expect.stringContaining('use one of them') })
  const mistaken = await runCommand('--set', '2030-01-01')
  expect(mistaken).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no set 2030-01-01.') })
})
