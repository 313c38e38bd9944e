import type { Worker } from '@iii/sdk'
import type { Locks } from '../lock/locks.ts'
import type { RunError, RunRow, RunSummary } from '../record/run-record.ts'
import { toExitCode } from '../record/status.ts'
import { toSummary } from '../record/summary.ts'
import type { KeptRun } from '../store/run-rows.ts'
import type { RunStore } from '../store/store.ts'

/** Ends the records of runs whose process is dead: nobody knows what became of them. */
export interface OrphanedRuns {
  /** For the run of a claim that was just ended. */
  settle(runId: string): Promise<void>
  /** @returns the summary as it is now; undefined for a run that may still go on */
  settleSummary(summary: RunSummary): Promise<RunSummary | undefined>
  /** The same, and waits until nobody takes the process for alive any more: a claim that still counts is ended then. */
  watchSummary(summary: RunSummary): Promise<RunSummary | undefined>
}

type IsOver = (lock: RunSummary['lock']) => Promise<boolean>

const ASK_MS = 5_000
/** A run that just lost its lock is among the newest. */
const MAX_ROWS = 3

/** As its process writes it in the end, who may do so at the same time. */
function toKeptSummary({ row, tasks }: KeptRun): RunSummary {
  const there = tasks.filter((task) => task !== undefined)
  const bytes = there.reduce((sum, task) => sum + Buffer.byteLength(JSON.stringify(task)), 0)
  const told = there.map(({ task: { id, status } }) => ({ id, status }))
  return toSummary(row, told, bytes)
}

const ERROR: RunError = {
  code: 'worker_lost',
  message: 'The process that ran it ended without a word; what its functions had begun may have been done',
}

export function createOrphanedRuns(worker: Pick<Worker, 'trigger'>, store: RunStore, locks: Locks): OrphanedRuns {
  async function isThere(holder: string): Promise<boolean> {
    const request = { function_id: 'engine::functions::info', payload: { function_ids: [holder] }, timeoutMs: ASK_MS }
    const { functions } = await worker.trigger<{ functions: { error?: string }[] }>(request)
    return functions.some(({ error }) => error === undefined)
  }

  /** Its claim counts no more, so that its process, should it come back, does nothing. */
  const isOver: IsOver = async ({ name, generation }) => !(await locks.counts(name, generation))
  const becomesOver: IsOver = ({ name, generation }) => locks.endDead(name, generation)

  async function end(row: RunRow): Promise<RunRow> {
    const ended = { ...row, status: 'unknown' as const, error: ERROR, exit_code: toExitCode('unknown') }
    await store.runs.write(ended)
    return ended
  }

  async function settleWhen(isLockOver: IsOver, summary: RunSummary): Promise<RunSummary | undefined> {
    const isDead = !(await isThere(summary.holder)) && (await isLockOver(summary.lock))
    // One that goes on may have long results, which nobody needs yet.
    if (!isDead && (await store.runs.readRow(summary.id))?.status === 'running') return undefined
    // Read when nobody writes it any more: a process may end its run and be gone in the same moment.
    const kept = await store.runs.read(summary.id)
    if (kept !== undefined && kept.row.status !== 'running') return toKeptSummary(kept)
    if (!isDead) return undefined
    if (kept === undefined) return { ...summary, status: 'unknown', exit_code: toExitCode('unknown') }
    return toKeptSummary({ ...kept, row: await end(kept.row) })
  }

  const settleSummary = (summary: RunSummary) => settleWhen(isOver, summary)

  return {
    settleSummary,
    watchSummary: (summary) => settleWhen(becomesOver, summary),
    async settle(runId) {
      const { rows } = await store.index.head()
      for (let row = rows - 1; row >= Math.max(0, rows - MAX_ROWS); row -= 1) {
        const summary = (await store.index.read(row)).find(({ id }) => id === runId)
        if (summary?.status !== 'running') continue
        const settled = await settleSummary(summary)
        if (settled !== undefined) await store.index.update(row, settled)
        return
      }
    },
  }
}
