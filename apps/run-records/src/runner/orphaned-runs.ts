import type { Worker } from '@iii/sdk'
import { z } from 'zod'
import { isHolderId } from '../lock/holder.ts'
import type { Locks } from '../lock/locks.ts'
import type { RunError, RunRow, RunSummary } from '../record/run-record.ts'
import { toExitCode } from '../record/status.ts'
import { toSummary } from '../record/summary.ts'
import type { KeptRun } from '../store/run-rows.ts'
import type { RunStore } from '../store/store.ts'

/** Ends the records of runs that nobody runs any more: their process is dead, or has lost their lock. Nobody knows what became of them. */
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

const Running = z.object({ running: z.array(z.string()) })

const WORKER_LOST: RunError = {
  code: 'worker_lost',
  message: 'The process that ran it ended without a word; what its functions had begun may have been done',
}

const GIVEN_UP: RunError = {
  code: 'lock_lost',
  message:
    'Its process runs it no more and could not write how it ended: somebody unlocked it, or the engine was away or lost its state. What its functions had begun may have been done',
}

export function createOrphanedRuns(worker: Pick<Worker, 'trigger'>, store: RunStore, locks: Locks): OrphanedRuns {
  /** Whether a process that is there still runs it; one that does not say so may. */
  async function isUnderWay({ holder, id }: RunSummary): Promise<boolean> {
    if (!isHolderId(holder)) return true
    const request = { function_id: holder, payload: {}, timeoutMs: ASK_MS }
    const answer = await worker.trigger(request).catch(() => undefined)
    return Running.safeParse(answer).data?.running.includes(id) ?? true
  }

  /** @returns why nobody will end its record; undefined as long as somebody may */
  async function findLoss(isLockOver: IsOver, summary: RunSummary): Promise<RunError | undefined> {
    if (!(await isLockOver(summary.lock))) return undefined
    if (!(await locks.isThere(summary.holder))) return WORKER_LOST
    return (await isUnderWay(summary)) ? undefined : GIVEN_UP
  }

  /** Its claim counts no more, so that its process, should it come back, does nothing. */
  const isOver: IsOver = async ({ name, generation }) => !(await locks.counts(name, generation))
  const becomesOver: IsOver = ({ name, generation }) => locks.endDead(name, generation)

  async function end(row: RunRow, error: RunError): Promise<RunRow> {
    const ended = { ...row, status: 'unknown' as const, error, exit_code: toExitCode('unknown') }
    await store.runs.write(ended)
    return ended
  }

  async function settleWhen(isLockOver: IsOver, summary: RunSummary): Promise<RunSummary | undefined> {
    const loss = await findLoss(isLockOver, summary)
    // One that goes on may have long results, which nobody needs yet.
    if (loss === undefined && (await store.runs.readRow(summary.id))?.status === 'running') return undefined
    // Read when nobody writes it any more: a process may end its run and be gone in the same moment.
    const kept = await store.runs.read(summary.id)
    if (kept !== undefined && kept.row.status !== 'running') return toKeptSummary(kept)
    if (loss === undefined) return undefined
    if (kept === undefined) return { ...summary, status: 'unknown', exit_code: toExitCode('unknown') }
    return toKeptSummary({ ...kept, row: await end(kept.row, loss) })
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
