/** A check as the suite writes it. */
export interface Check {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

export interface Scenario {
  readonly name: string
  readonly checks: readonly Check[]
  /** Why the suite reports it without counting it. */
  readonly unscored?: string
}

export interface Tally {
  readonly passed: number
  readonly of: number
}

/** What does not count, by its name, and why. */
export interface LeftOut {
  readonly scenarios: Readonly<Record<string, string>>
  /** By their ids, in whichever scenario. */
  readonly checks: Readonly<Record<string, string>>
}

/** What came of a set. */
export interface Score {
  readonly scored: Tally
  readonly unscored: Tally
  readonly checks: Tally
  readonly warnings: number
  /** Everything that keeps it from being perfect, a line each. Also of scenarios that are not scored. */
  readonly problems: readonly string[]
}

/** The suite adds it to every scenario; alone it shows that something was said, not that anything works. */
const WIRE_CHECK = 'wire-schema-valid'
const MAX_REASON = 400

/** What is left to count. A scenario stays one that has to have looked at something. */
export function leaveOut(scenarios: readonly Scenario[], leftOut: LeftOut): Scenario[] {
  return scenarios
    .filter(({ name }) => !(name in leftOut.scenarios))
    .map((scenario) => ({ ...scenario, checks: scenario.checks.filter(({ id }) => !(id in leftOut.checks)) }))
}

/** Counts strictly: a scenario passes without a failure and without a warning, and only if it has looked at something. */
export function toScore(scenarios: readonly Scenario[]): Score {
  const problemsOf = new Map(scenarios.map((scenario) => [scenario, findProblems(scenario)]))
  const tally = (some: readonly Scenario[]): Tally => ({
    passed: some.filter((scenario) => problemsOf.get(scenario)?.length === 0).length,
    of: some.length,
  })
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length
  return {
    scored: tally(scenarios.filter(({ unscored }) => unscored === undefined)),
    unscored: tally(scenarios.filter(({ unscored }) => unscored !== undefined)),
    checks: { passed: count('SUCCESS'), of: count('SUCCESS') + count('FAILURE') + count('WARNING') },
    warnings: count('WARNING'),
    problems: scenarios.flatMap((scenario) => problemsOf.get(scenario) ?? []),
  }
}

function findProblems({ name, checks, unscored }: Scenario): string[] {
  const where = unscored === undefined ? name : `${name} (not scored: ${unscored})`
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  if (bad.length > 0) return [...new Set(bad.map((check) => `${where}: ${formatCheck(check)}`))]
  const looked = checks.some(({ id, status }) => id !== WIRE_CHECK && (status === 'SUCCESS' || status === 'SKIPPED'))
  return looked ? [] : [`${where}: nothing was checked`]
}

function formatCheck({ id, status, description, errorMessage }: Check): string {
  const reason = (errorMessage ?? description).replace(/\s+/g, ' ').trim()
  const short = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason
  return `${id} ${status === 'WARNING' ? 'warns' : 'fails'}: ${short}`
}

/** `2025-11-25  scored 30/30, not scored 3/3, 0 warnings, 84/84 checks`, and below it what is wrong. */
export function formatScore(set: string, { scored, unscored, checks, warnings, problems }: Score): string {
  const rest = unscored.of === 0 ? '' : `, not scored ${unscored.passed}/${unscored.of}`
  const head = `${set.padEnd(10)}  scored ${scored.passed}/${scored.of}${rest}, ${warnings} warnings, ${checks.passed}/${checks.of} checks`
  return [head, ...problems.map((problem) => `  ✗ ${problem}`)].join('\n')
}
