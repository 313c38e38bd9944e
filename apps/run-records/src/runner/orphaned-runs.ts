import type { Worker } from '@iii/sdk'
import type { Locks } from '../lock/locks.ts'
import type { RunError, RunRow, RunSummary } from '../record/run-record.ts'
import { toExitCode } from '../record/status.ts'
import type { RunStore } from '../store/store.ts'

/** Ends the records of runs whose process is dead: nobody knows what became of them. */
export interface OrphanedRuns {
  /** For the run of a claim that was just ended. */
  settle(runId: string): Promise<void>
  /** @returns the summary as it is now; undefined for a run that may still go on */
  settleSummary(summary: RunSummary): Promise<RunSummary | undefined>
}

const ASK_MS = 5_000
/** A run that just lost its lock is among the newest. */
const MAX_ROWS = 3

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

  /** Its claim still counts, or its process may come back to it. */
  async function mayGoOn({ holder, lock }: Pick<RunRow, 'holder' | 'lock'>): Promise<boolean> {
    const held = await locks.look(lock.name).catch(() => undefined)
    return held?.generation === lock.generation || (await isThere(holder))
  }

  async function end(row: RunRow): Promise<RunRow> {
    const ended = { ...row, status: 'unknown' as const, error: ERROR, exit_code: toExitCode('unknown') }
    await store.runs.write(ended)
    return ended
  }

  async function settleSummary(summary: RunSummary): Promise<RunSummary | undefined> {
    const row = await store.runs.readRow(summary.id)
    if (row !== undefined && row.status !== 'running') {
      const { status, exit_code, finished_at, duration_ms } = row
      return { ...summary, status, ...{ exit_code, finished_at, duration_ms } }
    }
    if (await mayGoOn(summary)) return undefined
    if (row !== undefined) await end(row)
    return { ...summary, status: 'unknown', exit_code: toExitCode('unknown') }
  }

  return {
    settleSummary,
    async settle(runId) {
      const { rows, first } = await store.index.head()
      for (let row = rows - 1; row >= Math.max(first, rows - MAX_ROWS); row -= 1) {
        const summary = (await store.index.read(row)).find(({ id }) => id === runId)
        if (summary?.status !== 'running') continue
        const settled = await settleSummary(summary)
        if (settled !== undefined) await store.index.update(row, settled)
        return
      }
    },
  }
}
