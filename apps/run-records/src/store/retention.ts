import { toCreationTime } from '../record/run-id.ts'
import type { RunSummary } from '../record/run-record.ts'
import type { CacheRows } from './cache-rows.ts'
import type { CallRows } from './call-rows.ts'
import type { Keep } from './keep.ts'
import type { Numbering } from './numbering.ts'
import type { RunIndex } from './run-index.ts'
import type { RunRows } from './run-rows.ts'

export interface Removed {
  readonly runs: number
  readonly calls: number
  /** Runs that counted as running, and whose process is gone. */
  readonly ended: number
}

export interface RetentionParts {
  index: RunIndex
  runs: RunRows
  calls: CallRows
  cache: CacheRows
}

/** So much is removed at a time; the next time goes on. */
const MAX_REMOVED = 200
const MAX_ROWS = 40
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Removes the oldest runs and calls, by number, age and size; never a run that is `running`.
 *
 * @param settle ends the record of a run whose process is dead; undefined for one that goes on
 */
export async function removeOld(
  parts: RetentionParts,
  keep: Keep,
  now: number,
  settle: (summary: RunSummary) => Promise<RunSummary | undefined>,
): Promise<Removed> {
  const ended = await settleRunning(parts.index, settle)
  const runs = await collectRuns(parts, keep, now)
  return { runs, calls: await removeOldCalls(parts.calls, keep, now), ended }
}

interface Placed {
  row: number
  summary: RunSummary
}

async function collectRuns({ index, runs, cache }: RetentionParts, keep: Keep, now: number): Promise<number> {
  // It may have waited for processes; others began runs meanwhile.
  const { head, last, placed } = await readPlaced(index)
  const isWhole = last === head.rows
  const doomed = findDoomed(placed, isWhole ? placed.length : head.entries, sumBytes(placed), keep, now)
  for (const { row, summary } of doomed) {
    await cache.remove(summary.id, await runs.remove(summary.id, summary.task_count))
    await index.remove(row, [summary.id])
  }
  const left = placed.filter((run) => !doomed.has(run))
  const first = await removeEmptyRows(index, head.first, left[0]?.row ?? last - 1)
  const { entries, bytes } = isWhole ? { entries: left.length, bytes: sumBytes(left) } : head
  const isAsCounted = first === head.first && entries === head.entries && bytes === head.bytes
  if (!isAsCounted) await index.setHead({ entries, bytes, first })
  return doomed.size
}

/** Each by itself: one that has to be waited for keeps none of the others. @returns how many are over */
async function settleRunning(index: RunIndex, settle: Settle): Promise<number> {
  const { placed } = await readPlaced(index)
  const running = placed.filter(({ summary }) => summary.status === 'running')
  const ended = await Promise.all(
    running.map(async ({ row, summary }) => {
      const settled = await settle(summary)
      if (settled !== undefined) await index.update(row, settled)
      return settled !== undefined
    }),
  )
  return ended.filter(Boolean).length
}

/** The runs of the oldest rows that have any, the oldest first: behind one that goes on for long, all others of many rows may be gone. */
async function readPlaced(index: RunIndex): Promise<{ head: Numbering; last: number; placed: Placed[] }> {
  const head = await index.head()
  const placed: Placed[] = []
  let last = head.first
  for (let filled = 0; last < head.rows && filled < MAX_ROWS; last += 1) {
    const row = last
    const summaries = await index.read(row)
    if (summaries.length > 0) filled += 1
    placed.push(...summaries.reverse().map((summary) => ({ row, summary })))
  }
  return { head, last, placed }
}

type Settle = (summary: RunSummary) => Promise<RunSummary | undefined>

/** The oldest, as far as there are too many, they are too old, or too large together. */
function findDoomed(placed: readonly Placed[], total: number, size: number, keep: Keep, now: number): Set<Placed> {
  const doomed = new Set<Placed>()
  let [count, bytes] = [total, size]
  for (const run of placed) {
    const { id, status } = run.summary
    const isTooOld = now - toCreationTime(id) > keep.days * DAY_MS
    if (doomed.size === MAX_REMOVED) break
    // What is behind one of a clock that went wrong may be older.
    if (status === 'running' || (count <= keep.runs && bytes <= keep.bytes && !isTooOld)) continue
    doomed.add(run)
    count -= 1
    bytes -= run.summary.bytes ?? 0
  }
  return doomed
}

/** @returns the number of the first row that is left */
async function removeEmptyRows(index: RunIndex, from: number, to: number): Promise<number> {
  for (let row = from; row < to; row += 1) await index.removeRow(row)
  return Math.max(from, to, 0)
}

function sumBytes(placed: readonly Placed[]): number {
  return placed.reduce((sum, { summary }) => sum + (summary.bytes ?? 0), 0)
}

/** Removes the oldest calls, by number, age and size, a row at a time. @returns how many */
export async function removeOldCalls(calls: CallRows, keep: Keep, now: number): Promise<number> {
  const { rows, first, entries, bytes } = await calls.head()
  const left = { entries, bytes }
  let removed = 0
  // The newest row is still being written.
  for (let row = first; row < Math.min(first + MAX_ROWS, rows - 1); row += 1) {
    if (!hasTooManyCalls(left, keep) && !(await isOld(calls, row, now - keep.days * DAY_MS))) break
    const gone = await calls.removeRow(row)
    left.entries -= gone.entries
    left.bytes -= gone.bytes
    removed += gone.entries
  }
  return removed
}

export function hasTooManyCalls({ entries, bytes }: Pick<Numbering, 'entries' | 'bytes'>, keep: Keep): boolean {
  return entries > keep.calls || bytes > keep.bytes
}

/** Whether all of a row began before, or there is nothing in it that can be read. */
async function isOld(calls: CallRows, row: number, before: number): Promise<boolean> {
  const entries = await calls.read(row)
  return entries.every(({ entry }) => Date.parse(entry.kind === 'gap' ? entry.at : entry.started_at) < before)
}
