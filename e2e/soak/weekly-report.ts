import { CALM, type LedgerPage } from './ledger.ts'
import type { Growth } from './memory.ts'
import type { Struck } from './week.ts'

/** Everything that a soak ends with. */
export interface SoakResult {
  readonly title: string
  readonly pages: readonly LedgerPage[]
  readonly struck: ReadonlyMap<string, Struck>
  readonly growth: readonly Growth[]
  /** What was acknowledged and is not there. */
  readonly lost: readonly string[]
  /** Processes and files that are left. */
  readonly left: readonly string[]
  /** Calls that were not made, because too many waited. */
  readonly heldBack: number
}

/** Of what a process has after ten minutes. */
const ALLOWED_GROWTH = 1.05

/** As tables in Markdown. */
export function formatOutcome({ title, pages, struck, growth, lost, left, heldBack }: SoakResult): string {
  const faults = pages.map(({ name, counts, slowestMs }) => {
    const { times, slowestMs: recovery } = struck.get(name) ?? { times: undefined, slowestMs: undefined }
    const seconds = (ms: number | undefined) => (ms === undefined ? '–' : (ms / 1000).toFixed(1))
    return [
      ...[name === CALM ? 'none' : name, times ?? '–', counts.right, counts.refused, counts['reply lost']],
      ...[counts.wrong, counts.hung, seconds(slowestMs), name === CALM ? '–' : seconds(recovery)],
    ]
  })
  const heads = ['Fault', 'Times', 'Right', 'Refused', 'Replies of others lost', 'Wrong', 'Hung']
  const memory = growth.map(({ name, early, late, minutes }) => {
    return [name, early.toFixed(0), late.toFixed(0), `${((late / early - 1) * 100).toFixed(1)} %`, minutes.toFixed(0)]
  })
  return [
    `\n${title}\n`,
    toMarkdown([[...heads, 'Slowest answer, s', 'Slowest recovery, s'], ...faults]),
    `Acknowledged and lost ${lost.length}, left over ${left.length}, calls held back ${heldBack}.\n`,
    ...(memory.length === 0
      ? []
      : [toMarkdown([['Process', 'MiB early', 'late', 'Growth', 'Minutes between'], ...memory])]),
  ].join('\n')
}

/** All that must not be. */
export function findWeekProblems({ pages, struck, growth, lost, left }: SoakResult): string[] {
  const sum = (outcome: 'wrong' | 'hung') => pages.reduce((total, { counts }) => total + counts[outcome], 0)
  return [
    ...(sum('wrong') > 0 ? [`${sum('wrong')} calls were answered wrongly`] : []),
    ...(sum('hung') > 0 ? [`${sum('hung')} calls hung beyond their deadline`] : []),
    ...lost.map((text) => `acknowledged and lost: ${text}`),
    ...left.map((text) => `left over: ${text}`),
    ...[...struck.values()].flatMap(({ problems }) => problems),
    ...growth
      .filter(({ early, late }) => late > early * ALLOWED_GROWTH)
      .map(({ name, early, late }) => `the memory of ${name} grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`),
  ]
}

function toMarkdown(rows: readonly (readonly (string | number)[])[]): string {
  const [head = [], ...body] = rows.map((row) => row.map(String))
  const lines = [head, head.map(() => '---'), ...body]
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`
}
