import type { RunSummary } from '../record/run-record.ts'
import type { CallEntry, CallRows } from './call-rows.ts'
import type { Position } from './cursor.ts'
import type { Numbering } from './numbering.ts'
import type { RunIndex } from './run-index.ts'

export type WalkedEntry = RunSummary | CallEntry

/** Goes through entries from the newest to the oldest, a row at a time. */
export interface Walk<P> {
  /** The next one, without taking it; undefined at the end, and when no more rows may be read. */
  peek(): Promise<WalkedEntry | undefined>
  take(): void
  /** Nothing more is wanted of it. */
  end(): void
  /** Where the last one taken lies. */
  readonly position: P | undefined
  /** Whether there is nothing more. */
  readonly isOver: boolean
}

/** How many rows may still be read. */
export interface Budget {
  rows: number
}

interface Placed<P> {
  readonly entry: WalkedEntry
  readonly place: P
}

export function walkRuns(index: RunIndex, from: Position['run'], budget: Budget): Walk<NonNullable<Position['run']>> {
  return createWalk({
    head: index.head,
    budget,
    from,
    read: async (row) => (await index.read(row)).map((entry) => ({ entry, place: { row, id: entry.id } })),
    isPast: ({ id }, last) => id < last.id,
    toEnd: (row) => ({ row, id: LEAST_ID }),
  })
}

export function walkCalls(
  calls: CallRows,
  from: Position['call'],
  budget: Budget,
): Walk<NonNullable<Position['call']>> {
  return createWalk({
    head: calls.head,
    budget,
    from,
    read: async (row) => (await calls.read(row)).map(({ entry, number }) => ({ entry, place: { row, number } })),
    isPast: ({ number }, last) => number < last.number,
    toEnd: (row) => ({ row, number: 0 }),
  })
}

interface WalkParts<P> {
  head(): Promise<Numbering>
  read(row: number): Promise<Placed<P>[]>
  from: P | undefined
  /** Whether a place of the same row comes after another. */
  isPast(place: P, last: P): boolean
  /** The place behind which there is nothing in a row. */
  toEnd(row: number): P
  budget: Budget
}

interface RowsLeft {
  next: number
  readonly first: number
  readonly older: number[]
}

/** The newest of the rows that are left. */
function takeRow(left: RowsLeft): number | undefined {
  if (left.next < left.first) return left.older.pop()
  left.next -= 1
  return left.next + 1
}

const LEAST_ID = '0'.repeat(26)

function createWalk<P extends { readonly row: number }>(parts: WalkParts<P>): Walk<P> {
  const { head, read, from, isPast, toEnd, budget } = parts
  let position = from
  let waiting: Placed<P>[] = []
  let left: RowsLeft | undefined

  async function findRows(): Promise<RowsLeft> {
    const { rows, first, older } = await head()
    const next = Math.min(from?.row ?? rows - 1, rows - 1)
    return { next, first, older: older.filter((row) => row <= next) }
  }

  async function fill(rows: RowsLeft): Promise<void> {
    while (waiting.length === 0 && budget.rows > 0) {
      const row = takeRow(rows)
      if (row === undefined) return
      budget.rows -= 1
      const placed = await read(row)
      waiting = from?.row === row ? placed.filter(({ place }) => isPast(place, from)) : placed
      // Of rows in which nothing can be read a list may meet more than it reads at a time.
      if (waiting.length === 0) position = toEnd(row)
    }
  }

  let hasEnded = false
  const walk = {
    isOver: false,
    get position() {
      return position
    },
    async peek() {
      if (hasEnded) return undefined
      left ??= await findRows()
      await fill(left)
      walk.isOver = waiting.length === 0 && left.next < left.first && left.older.length === 0
      return waiting[0]?.entry
    },
    take() {
      position = waiting.shift()?.place ?? position
    },
    end() {
      hasEnded = true
      walk.isOver = true
    },
  }
  return walk
}

/** When an entry began. */
export function toStart(entry: WalkedEntry): string {
  return entry.kind === 'gap' ? entry.at : entry.started_at
}

/** When an entry got its place among the others: a run as it began, a call as it ended. In milliseconds since 1970. */
export function toPlaced(entry: WalkedEntry): number {
  return Date.parse(toStart(entry)) + (entry.kind === 'call' ? entry.duration_ms : 0)
}
