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
/** Rows in which there is nothing any more count, too. */
const MAX_LOOKS = 100
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Removes the oldest runs and calls, by number, age and size; never a run that is `running`.
 *
 * @param settle ends the record of a run whose process is dead; undefined for one that goes on
 * @param isEnough is asked after each row whether those behind it may wait
 */
export async function removeOld(
  parts: RetentionParts,
  keep: Keep,
  now: number,
  settle: Settle,
  isEnough: IsEnough = () => false,
): Promise<Removed> {
  const looked = await readPlaced(parts.index, (head, placed) => isEnough(head, placed, keep))
  const placed = await settleRunning(parts.index, looked.placed, settle)
  const ended = placed.filter((run, at) => run !== looked.placed[at]).length
  const runs = await collectRuns(parts, { ...looked, placed }, keep, now)
  return { runs, calls: await removeOldCalls(parts.calls, keep, now), ended }
}

export type Settle = (summary: RunSummary) => Promise<RunSummary | undefined>
type IsEnough = (head: Numbering, placed: readonly Placed[], keep: Keep) => boolean

/** Whether those that have been read are too many or too large by as much as all are: they are the oldest. */
export const holdsSurplus: IsEnough = ({ entries, bytes }, placed, keep) => {
  const removable = placed.filter(({ summary }) => summary.status !== 'running')
  if (removable.length >= MAX_REMOVED) return true
  return removable.length >= entries - keep.runs && sumBytes(removable) >= bytes - keep.bytes
}

interface Placed {
  row: number
  summary: RunSummary
}

/** What a collection knows of the runs. */
interface Looked {
  head: Numbering
  /** The numbers of the rows that were read, and of the one that comes next. */
  rows: readonly number[]
  next: number
  placed: readonly Placed[]
}

async function collectRuns(
  { index, runs, cache }: RetentionParts,
  { head: before, rows, next, placed }: Looked,
  keep: Keep,
  now: number,
): Promise<number> {
  // It may have waited for processes; others began runs meanwhile.
  const head = await index.head()
  const isWhole = next === head.rows && head.entries === before.entries
  const all = isWhole ? { entries: placed.length, bytes: sumBytes(placed) } : head
  const doomed = findDoomed(placed, all, keep, now)
  for (const { row, summary } of doomed) {
    await cache.remove(summary.id, await runs.remove(summary.id, summary.task_count))
    await index.remove(row, [summary.id])
  }
  const left = placed.filter((run) => !doomed.has(run))
  const filled = new Set(left.map(({ row }) => row))
  // What was the newest row may have got others since.
  const end = Math.min(next, Math.max(before.rows - 1, 0))
  for (const row of rows) if (row < end && !filled.has(row)) await index.removeRow(row)
  const bounds = toBounds([...filled.add(end)])
  const counted = { ...bounds, entries: all.entries - doomed.size, bytes: all.bytes - sumBytes([...doomed]) }
  if (JSON.stringify({ ...head, ...counted }) !== JSON.stringify(head)) await index.setHead(counted)
  return doomed.size
}

/** What is behind the last gap is looked through from row to row; before it, many may be gone behind a run that goes on for long. */
function toBounds(filled: readonly number[]): Pick<Numbering, 'first' | 'older'> {
  const behind = filled.findLastIndex((row, at) => at > 0 && row > (filled[at - 1] ?? 0) + 1)
  const at = Math.max(behind, 0)
  return { first: filled[at] ?? 0, older: filled.slice(0, at) }
}

/** Each by itself: one that has to be waited for keeps none of the others. @returns the runs as they are now */
function settleRunning(index: RunIndex, placed: readonly Placed[], settle: Settle): Promise<Placed[]> {
  return Promise.all(
    placed.map(async (run) => {
      const settled = run.summary.status === 'running' ? await settle(run.summary) : undefined
      if (settled === undefined) return run
      await index.update(run.row, settled)
      return { row: run.row, summary: settled }
    }),
  )
}

/** The runs of the oldest rows that have any, the oldest first. */
async function readPlaced(
  index: RunIndex,
  isEnough: (head: Numbering, placed: readonly Placed[]) => boolean,
): Promise<Looked> {
  const head = await index.head()
  const rows: number[] = []
  const placed: Placed[] = []
  async function look(row: number): Promise<boolean> {
    const summaries = await index.read(row)
    rows.push(row)
    placed.push(...summaries.reverse().map((summary) => ({ row, summary })))
    return summaries.length > 0
  }
  for (const row of head.older) await look(row)
  const end = Math.min(head.rows, head.first + MAX_LOOKS)
  let next = head.first
  for (let filled = 0; next < end && filled < MAX_ROWS && !isEnough(head, placed); next += 1)
    if (await look(next)) filled += 1
  return { head, rows, next, placed }
}

/** The oldest, as far as there are too many, they are too old, or too large together. */
function findDoomed(
  placed: readonly Placed[],
  all: Pick<Numbering, 'entries' | 'bytes'>,
  keep: Keep,
  now: number,
): Set<Placed> {
  const doomed = new Set<Placed>()
  let { entries: count, bytes } = all
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
