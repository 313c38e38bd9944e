import { type AllowedSkips, formatScore } from './score.ts'
import { runInEra } from './suite.ts'

/** The scenarios of the skills extension, and how many checks each has. The sets have them in the newest era alone. */
const CHECKS = { enumeration: 32, manifest: 6, directory: 7 }
export const SKILLS_ERAS = ['2025-11-25', '2026-07-28'] as const

const UNDEFINED_THERE = 'ttlMs and cacheScope are defined from 2026-07-28'
const CACHE_FIELDS: AllowedSkips = {
  scenarios: {},
  checks: {
    'sep-2640-skills-list-cache-attributes': UNDEFINED_THERE,
    'sep-2640-skills-get-cache-attributes': UNDEFINED_THERE,
  },
}

/** Runs them in an era. @throws with all that they find wrong. @returns the scores, and what they come to where nothing is skipped */
export async function runSkillsScenarios(era: (typeof SKILLS_ERAS)[number], mcpUrl: string) {
  const isOld = era < '2026'
  const scores = []
  const expected = []
  for (const [name, checks] of Object.entries(CHECKS)) {
    const score = await runInEra(`sep-2640-skills-${name}`, era, mcpUrl, isOld ? CACHE_FIELDS : undefined)
    if (score.problems.length > 0) throw new Error(formatScore(`${name} ${era}`, score))
    const count = isOld && name === 'enumeration' ? checks - 2 : checks
    scores.push(score)
    expected.push({ scored: { passed: 1, of: 1 }, notRun: [], checks: { passed: count, of: count } })
  }
  return { scores, expected }
}
