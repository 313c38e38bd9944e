/** What became of a call. */
export type CallVerdict =
  | { readonly outcome: 'right' }
  /** It was said that it cannot be done, and why. */
  | { readonly outcome: 'refused'; readonly text: string }
  | { readonly outcome: 'wrong'; readonly text: string }
  | { readonly outcome: 'hung'; readonly text: string }
  /** A worker on another SDK had answered, and the engine lost it: said so by its deadline. */
  | { readonly outcome: 'reply lost'; readonly text: string }

export type OutcomeName = CallVerdict['outcome']
export const OUTCOMES: readonly OutcomeName[] = ['right', 'refused', 'wrong', 'hung', 'reply lost']

export interface JudgedCall {
  readonly operation: string
  readonly from: number
  readonly to: number
  readonly verdict: CallVerdict
  /** The worker that it was for had gone by itself. */
  readonly isExcused?: boolean
}

/** All calls between two moments. */
export interface LedgerPage {
  readonly name: string
  readonly counts: Record<OutcomeName, number>
  slowestMs: number
}

/** Counts calls, apart for each fault and for the time without one. */
export interface Ledger {
  /** From now on something is broken on purpose. @returns what ends it */
  open(fault: string): () => void
  note(call: JudgedCall): void
  /** The fault that there is. */
  current(): string
  /** The time without a fault first, then the faults in the order in which they came. */
  pages(): readonly LedgerPage[]
  /** What was wrong or hung, and what was refused without a fault: each text once, with how often. */
  complaints(): ReadonlyMap<string, number>
}

export const CALM = 'nothing'

interface Interval {
  readonly page: LedgerPage
  readonly from: number
  to: number
}

/** A number in a text is another one each time. */
const NUMBERS = /\d+|[0-9a-f]{8,}/gi

export function createLedger(now: () => number = () => performance.now()): Ledger {
  const calm = createPage(CALM)
  const pages = new Map<string, LedgerPage>([[CALM, calm]])
  const intervals: Interval[] = []
  const complaints = new Map<string, number>()
  return {
    open(fault) {
      const page = pages.get(fault) ?? createPage(fault)
      pages.set(fault, page)
      const interval = { page, from: now(), to: Number.POSITIVE_INFINITY }
      intervals.push(interval)
      return () => {
        interval.to = now()
      }
    },
    current: () => intervals.findLast(({ to }) => to === Number.POSITIVE_INFINITY)?.page.name ?? CALM,
    note({ operation, from, to, verdict, isExcused = false }) {
      const { page } = intervals.findLast((interval) => interval.from <= to && interval.to >= from) ?? { page: calm }
      page.counts[verdict.outcome]++
      page.slowestMs = Math.max(page.slowestMs, to - from)
      if (verdict.outcome === 'right' || verdict.outcome === 'reply lost') return
      if (verdict.outcome === 'refused' && (isExcused || page !== calm)) return
      const said = verdict.outcome === 'refused' ? verdict.text.replaceAll(NUMBERS, '#') : verdict.text
      const text = `${verdict.outcome}, ${page.name}, ${operation}: ${said.slice(0, 300)}`
      complaints.set(text, (complaints.get(text) ?? 0) + 1)
    },
    pages: () => [...pages.values()],
    complaints: () => complaints,
  }
}

function createPage(name: string): LedgerPage {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<OutcomeName, number>
  return { name, counts, slowestMs: 0 }
}
