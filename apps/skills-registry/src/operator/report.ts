import { compareText } from '@iii/protocol'
import { EXIT, type ExitCode, type Screen, toShown } from '@iii/sdk/cli'

/** What became of one skill, prompt or file, in the order of a summary. */
const OUTCOMES = ['new', 'changed', 'removed', 'unchanged', 'missing', 'refused', 'failed'] as const
export type ItemOutcome = (typeof OUTCOMES)[number]

const CHANGES: ReadonlySet<ItemOutcome> = new Set(['new', 'changed', 'removed'])
const WORDS: Readonly<Partial<Record<ItemOutcome, string>>> = { missing: 'not there' }

interface Item {
  name: string
  reason: string | undefined
}

/** Collects what became of everything that a command was about. */
export interface CommandReport {
  /** @param reason makes it a line on stderr at once */
  add(outcome: ItemOutcome, name: string, reason?: string): void
  count(...outcomes: ItemOutcome[]): number
}

export interface ReportOptions {
  json: boolean
  /** Nothing is done: what would be done is shown, a line each. */
  dryRun: boolean
  /** The sentence for a report without anything in it. */
  empty: string
}

/** Does work and then writes what became of it: a summary, or all of it as JSON. Also of work that was cut short, before it rejects. */
export async function withReport(
  screen: Screen,
  options: ReportOptions,
  work: (report: CommandReport) => Promise<void>,
): Promise<ExitCode> {
  const { print, ...report } = createReport(screen, options)
  try {
    await work(report)
  } catch (error) {
    if (report.count(...OUTCOMES) > 0) print()
    throw error
  }
  print()
  if (report.count('refused', 'failed') > 0) return EXIT.failed
  return report.count('missing') > 0 ? EXIT.missing : EXIT.done
}

function createReport(screen: Screen, { json, dryRun, empty }: ReportOptions): CommandReport & { print(): void } {
  const items = new Map<ItemOutcome, Item[]>(OUTCOMES.map((outcome) => [outcome, []]))
  const count = (...outcomes: ItemOutcome[]) =>
    outcomes.reduce((sum, outcome) => sum + (items.get(outcome)?.length ?? 0), 0)

  return {
    add(outcome, name, reason) {
      items.get(outcome)?.push({ name, reason })
      if (reason !== undefined) screen.tell(toShown(`${name}: ${reason}`))
      else if (dryRun && !json && CHANGES.has(outcome)) screen.print(`${outcome} ${toShown(name)}\n`)
    },
    count,
    print() {
      const found = OUTCOMES.filter((outcome) => count(outcome) > 0)
      const parts = found.map((outcome) => `${count(outcome)} ${WORDS[outcome] ?? outcome}`)
      const summary = parts.length === 0 ? empty : parts.join(', ')
      if (json) screen.printJson(toJson(items, dryRun))
      else screen.print(`${summary}${dryRun ? ' (dry run: nothing was done)' : ''}\n`)
    },
  }
}

function toJson(items: ReadonlyMap<ItemOutcome, readonly Item[]>, dryRun: boolean): Record<string, unknown> {
  const lists = [...items].map(([outcome, list]) => {
    const sorted = [...list].sort((a, b) => compareText(a.name, b.name))
    return [outcome, sorted.map(({ name, reason }) => (reason === undefined ? name : { name, reason }))]
  })
  return { dry_run: dryRun, ...Object.fromEntries(lists) }
}
