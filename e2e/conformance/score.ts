/** A check as the suite writes it. */
export interface SuiteCheck {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

export interface Scenario {
  readonly name: string
  readonly checks: readonly SuiteCheck[]
  /** Why the suite reports it without counting it. */
  readonly unscored?: string
}

export interface ScoreTally {
  readonly passed: number
  readonly of: number
}

/** What does not count, by its name, and why. */
export interface AllowedSkips {
  readonly scenarios: Readonly<Record<string, string>>
  /** By their ids, in whichever scenario. */
  readonly checks: Readonly<Record<string, string>>
}

/** What came of a set. */
export interface Score {
  readonly scored: ScoreTally
  readonly unscored: ScoreTally
  /** Scenarios in which every check was skipped: they count nowhere. */
  readonly notRun: readonly string[]
  readonly checks: ScoreTally
  readonly warnings: number
  /** Everything that keeps it from being perfect, a line each. Also of scenarios that are not scored. */
  readonly problems: readonly string[]
}

/** The suite adds it to every scenario; alone it shows that something was said, not that anything works. */
const WIRE_CHECK = 'wire-schema-valid'
const MAX_REASON = 400

/** What is left to count. A scenario stays one that has to have looked at something. */
export function withoutSkips(scenarios: readonly Scenario[], leftOut: AllowedSkips): Scenario[] {
  return scenarios
    .filter(({ name }) => !(name in leftOut.scenarios))
    .map((scenario) => ({ ...scenario, checks: scenario.checks.filter(({ id }) => !(id in leftOut.checks)) }))
}

/**
 * Counts strictly: a scenario passes without a failure and without a warning, and only if it has looked at something.
 *
 * @param allowed the scenarios that the suite may skip as a whole; whatever else it skips is a problem
 */
export function toScore(scenarios: readonly Scenario[], allowed: Readonly<Record<string, string>> = {}): Score {
  const run = scenarios.filter((scenario) => !isSkipped(scenario))
  const skipped = scenarios.filter(isSkipped).map(({ name }) => name)
  const problemsOf = new Map(run.map((scenario) => [scenario, findProblems(scenario)]))
  const tally = (some: readonly Scenario[]): ScoreTally => ({
    passed: some.filter((scenario) => problemsOf.get(scenario)?.length === 0).length,
    of: some.length,
  })
  const checks = run.flatMap((scenario) => scenario.checks)
  const count = (status: SuiteCheck['status']) => checks.filter((check) => check.status === status).length
  const unexpected = skipped.filter((name) => !(name in allowed))
  return {
    scored: tally(run.filter(({ unscored }) => unscored === undefined)),
    unscored: tally(run.filter(({ unscored }) => unscored !== undefined)),
    notRun: skipped,
    checks: { passed: count('SUCCESS'), of: count('SUCCESS') + count('FAILURE') + count('WARNING') },
    warnings: count('WARNING'),
    problems: [
      ...run.flatMap((scenario) => problemsOf.get(scenario) ?? []),
      ...unexpected.map((name) => `${name}: all of it was skipped, which no list allows`),
    ],
  }
}

/** Not one check of its own was made. */
function isSkipped({ checks }: Scenario): boolean {
  const own = checks.filter(({ id, status }) => id !== WIRE_CHECK && status !== 'INFO')
  return own.length > 0 && own.every(({ status }) => status === 'SKIPPED')
}

function findProblems({ name, checks, unscored }: Scenario): string[] {
  const where = unscored === undefined ? name : `${name} (not scored: ${unscored})`
  const bad = checks.filter(({ status }) => status in VERBS)
  if (bad.length > 0) return [...new Set(bad.map((check) => `${where}: ${formatCheck(check)}`))]
  const looked = checks.some(({ id, status }) => id !== WIRE_CHECK && status === 'SUCCESS')
  return looked ? [] : [`${where}: nothing was checked`]
}

/** What may not be said of a check. */
const VERBS: Readonly<Partial<Record<SuiteCheck['status'], string>>> = {
  FAILURE: 'fails',
  WARNING: 'warns',
  SKIPPED: 'was skipped',
}

function formatCheck({ id, status, description, errorMessage }: SuiteCheck): string {
  const reason = (errorMessage ?? description).replace(/\s+/g, ' ').trim()
  const short = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason
  return `${id} ${VERBS[status]}: ${short}`
}

/** `2026-07-28  scored 37/37, not scored 12/12, not run 1, 0 warnings, 196/196 checks`, and below it what was not run, and what is wrong. */
export function formatScore(set: string, { scored, unscored, notRun, checks, warnings, problems }: Score): string {
  const counts = [
    `scored ${scored.passed}/${scored.of}`,
    ...(unscored.of === 0 ? [] : [`not scored ${unscored.passed}/${unscored.of}`]),
    ...(notRun.length === 0 ? [] : [`not run ${notRun.length}`]),
    `${warnings} warnings`,
    `${checks.passed}/${checks.of} checks`,
  ]
  const lines = [...notRun.map((name) => `  - ${name} was not run`), ...problems.map((problem) => `  ✗ ${problem}`)]
  return [`${set.padEnd(10)}  ${counts.join(', ')}`, ...lines].join('\n')
}
