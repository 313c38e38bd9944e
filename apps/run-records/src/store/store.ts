import type { Worker } from '@iii/sdk'
import type { RunRecord, RunSummary } from '../record/run-record.ts'
import { type CacheRows, createCacheRows } from './cache-rows.ts'
import { type CallEntry, type CallRows, createCallRows } from './call-rows.ts'
import { createCursorSeal } from './cursor-seal.ts'
import { createFactsRow, type FactsRow } from './facts.ts'
import type { Keep } from './keep.ts'
import { type ListPage, type ListQuery, listEntries } from './list.ts'
import { hasTooManyCalls, holdsSurplus, type Removed, removeOld, removeOldCalls, type Settle } from './retention.ts'
import { createRows } from './rows.ts'
import { createRunIndex, type RunIndex } from './run-index.ts'
import { createRunRows, type KeptRun, type RunRows, toRecord } from './run-rows.ts'

/** Everything that is kept about runs and calls, in the engine's state. Only `runner/` and `calls/` write. */
export interface RunStore {
  readonly index: RunIndex
  readonly runs: RunRows
  readonly calls: CallRows
  readonly cache: CacheRows
  readonly facts: FactsRow
  /** Runs and calls, the newest first. */
  list(query: ListQuery): Promise<ListPage>
  /** The record of a run with what goes with its tasks; undefined for one that is not there or cannot be read. */
  read(runId: string): Promise<{ record: RunRecord; kept: KeptRun } | undefined>
  /** The last runs that had this task, the newest first. */
  lastRunsOf(task: string, limit: number): Promise<RunSummary[]>
  /** Writes down calls, as `calls.add`, and removes the oldest where they are too many now: thousands may come until the next look at all. */
  addCalls(calls: CallEntry[], store: string, keep: Keep): Promise<void>
  /** Removes what is too much or too old. */
  collect(keep: Keep, settle: Settle): Promise<Removed>
  /** The same, and looks at the oldest runs alone, as far as there are too many or they are too large together. */
  collectSurplus(keep: Keep, settle: Settle): Promise<Removed>
}

export function createRunStore(worker: Pick<Worker, 'trigger' | 'namespace'>, timeoutMs: () => number): RunStore {
  const rows = createRows(worker, timeoutMs)
  const index = createRunIndex(rows)
  const runs = createRunRows(rows)
  const calls = createCallRows(rows)
  const cache = createCacheRows(rows)
  const facts = createFactsRow(rows)
  const places = createCursorSeal(facts)
  const parts = { index, runs, calls, cache }

  return {
    index,
    runs,
    calls,
    cache,
    facts,
    async list(query) {
      const cursor = query.cursor === undefined ? undefined : await places.open(query.cursor)
      const page = await listEntries(index, calls, { ...query, cursor })
      return page.cursor === undefined ? page : { ...page, cursor: await places.seal(page.cursor) }
    },
    async read(runId) {
      const kept = await runs.read(runId)
      return kept && { record: toRecord(kept), kept }
    },
    async lastRunsOf(task, limit) {
      const keep: ListQuery['keep'] = (entry) => entry.kind === 'run' && entry.tasks.some(({ id }) => id === task)
      const { entries } = await listEntries(index, calls, { kind: 'run', limit, keep })
      return entries.flatMap((entry) => (entry.kind === 'run' ? [entry] : []))
    },
    async addCalls(entries, key, keep) {
      const head = await calls.add(entries, key)
      // What cannot be removed now goes with the next.
      if (hasTooManyCalls(head, keep)) await removeOldCalls(calls, keep, Date.now()).catch(() => 0)
    },
    collect: (keep, settle) => removeOld(parts, keep, Date.now(), settle),
    collectSurplus: (keep, settle) => removeOld(parts, keep, Date.now(), settle, holdsSurplus),
  }
}
