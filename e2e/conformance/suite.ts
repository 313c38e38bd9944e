import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runToEnd } from '../child.ts'
import { ALLOWED_SKIPS } from './allowed-skips.ts'
import { type AllowedSkips, type Scenario, type Score, type SuiteCheck, toScore, withoutSkips } from './score.ts'

/** What the suite is asked for, by the names that we give it. The first two are frozen requirements of a revision. */
export const SETS = {
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-03-26': ['--suite', 'all', '--spec-version', '2025-03-26'],
  all: ['--suite', 'all'],
  pending: ['--suite', 'pending'],
} as const satisfies Record<string, readonly string[]>
export type SetName = keyof typeof SETS
export const SET_NAMES = Object.keys(SETS) as readonly SetName[]

/**
 * What may run side by side on one bridge: the sets of one lane change the list of tools, and look whether it stays as it is
 * between two requests, so they come one after the other.
 */
const LANES: readonly (readonly SetName[])[] = [
  ['2026-07-28', 'all', 'pending'],
  ['2025-11-25', '2025-06-18', '2025-03-26'],
]

const NOTHING: AllowedSkips = { scenarios: {}, checks: {} }
const SCENARIO_TIMEOUT_MS = 30_000
const DEADLINE_MS = 180_000

/** Runs a set of the official suite. What the suite writes lies in a folder that is gone afterwards. */
export async function runSet(name: SetName, mcpUrl: string, leftOut: AllowedSkips = NOTHING): Promise<Score> {
  const scenarios = await inFolder(async (folder) => {
    const { stdout, stderr } = await runSuite(SETS[name], mcpUrl, folder)
    return await readScenarios(stdout, stderr, folder)
  })
  return toScore(withoutSkips(scenarios, leftOut), ALLOWED_SKIPS)
}

/** Runs a scenario in an era that the suite itself leaves it out of: those of extensions are in the newest alone. */
export async function runInEra(
  name: string,
  version: string,
  mcpUrl: string,
  leftOut: AllowedSkips = NOTHING,
): Promise<Score> {
  const checks = await inFolder(async (folder) => {
    await runSuite(['--scenario', name, '--spec-version', version, '--force'], mcpUrl, folder)
    return await readChecks(name, folder, await readdir(folder))
  })
  return toScore(withoutSkips([{ name, checks }], leftOut))
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'iii-conformance-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runSuite(words: readonly string[], mcpUrl: string, folder: string) {
  const entry = new URL('./suite-process.ts', import.meta.url)
  const options = ['--timeout', String(SCENARIO_TIMEOUT_MS), '--output-dir', folder]
  const args = ['server', '--url', mcpUrl, ...words, ...options]
  return await runToEnd({ name: `conformance ${words.join(' ')}`, entry, args, cwd: folder }, DEADLINE_MS)
}

/** Runs sets, those that do not disturb each other at the same time. @returns the score of each as it will be */
export function runSets(
  names: readonly SetName[],
  mcpUrl: string,
  { lanes = LANES, leftOut }: { readonly lanes?: typeof LANES; readonly leftOut?: AllowedSkips } = {},
): ReadonlyMap<SetName, Promise<Score>> {
  const scores = new Map<SetName, Promise<Score>>()
  for (const lane of lanes) {
    let previous: Promise<unknown> = Promise.resolve()
    for (const name of lane.filter((set) => names.includes(set))) {
      const score = previous.then(() => runSet(name, mcpUrl, leftOut))
      // Whoever waits for it hears of a failure; the next set does not care.
      previous = score.catch(() => undefined)
      scores.set(name, score)
    }
  }
  return scores
}

const RUNNING = /^=== Running scenario: (\S+) ===$/
const NOT_SCORED = /^ {2}[✓✗] (\S+) \((.+)\)$/

async function readScenarios(stdout: string, stderr: string, folder: string): Promise<Scenario[]> {
  const lines = stdout.split('\n')
  const names = lines.flatMap((line) => RUNNING.exec(line)?.[1] ?? [])
  if (names.length === 0) throw new Error(`The suite ran nothing:\n${stderr || stdout}`)
  const unscored = new Map(lines.flatMap((line) => toPair(NOT_SCORED.exec(line))))
  const folders = await readdir(folder)
  return await Promise.all(
    names.map(async (name) => {
      const reason = unscored.get(name)
      return { name, checks: await readChecks(name, folder, folders), ...(reason && { unscored: reason }) }
    }),
  )
}

function toPair(match: RegExpExecArray | null): [string, string][] {
  return match?.[1] && match[2] ? [[match[1], match[2]]] : []
}

/** The suite names the folder of a scenario after it and the time. @returns nothing for a scenario that did not get to its end */
async function readChecks(scenario: string, folder: string, folders: readonly string[]): Promise<SuiteCheck[]> {
  const own = folders.find((name) => name.startsWith(`server-${scenario}-2`))
  if (own === undefined) return []
  const text = await readFile(join(folder, own, 'checks.json'), 'utf8').catch(() => '[]')
  return JSON.parse(text) as SuiteCheck[]
}
