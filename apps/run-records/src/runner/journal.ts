import type { Logger } from '@iii/sdk'
import type { Baseline } from '../cache/stored.ts'
import type { LockLease } from '../lock/lease.ts'
import type { RunRow, RunSummary, TaskRecordRow } from '../record/run-record.ts'
import { toSummary } from '../record/summary.ts'
import type { RunStore } from '../store/store.ts'

/** Writes what happens to one run. Nothing is written once its lock is lost, and what cannot be written costs no run. */
export interface Journal {
  /** @throws what the store said: a run that cannot be recorded does not begin */
  begin(row: RunRow): Promise<void>
  /** A task that has ended, by its number in the plan. */
  task(number: number, row: TaskRecordRow): Promise<void>
  /** Anything else that goes with the run, under the same rule. */
  write(work: () => Promise<unknown>): Promise<void>
  end(row: RunRow, baselines: ReadonlyMap<string, Baseline>): Promise<void>
  /** Whether something could not be written. */
  readonly isIncomplete: boolean
  /** Whether the store gave no answer when it was last waited for. */
  readonly isSilent: boolean
}

/** How long a store that does not answer holds up the run, and its end. */
const PATIENCE_MS = 15_000
/** How long it holds up what comes meanwhile: by its beats the lock sees itself that it is back. */
const LOOK_MS = 200

export function createJournal(store: RunStore, lease: LockLease, runId: string, log: Logger): Journal {
  const told: RunSummary['tasks'] = []
  let isIncomplete = false
  let isSilent = false
  let place = 0
  let bytes = 0

  /** @returns whether it might be written; the store may have refused it all the same */
  async function write(work: () => Promise<unknown>, patienceMs = isSilent ? LOOK_MS : PATIENCE_MS): Promise<boolean> {
    // A holder that woke up must not write over what its successor has written.
    const mayWrite = await lease.confirm(AbortSignal.timeout(patienceMs))
    isSilent = !mayWrite
    if (!mayWrite) isIncomplete = true
    try {
      if (mayWrite) await work()
    } catch (error) {
      if (!isIncomplete)
        log.warn({ run: runId, reason: String(error) }, 'a part of the record of a run could not be written')
      isIncomplete = true
    }
    return mayWrite
  }

  return {
    get isIncomplete() {
      return isIncomplete
    },
    get isSilent() {
      return isSilent
    },
    write: async (work) => void (await write(work)),
    async begin(row) {
      place = await store.index.add(toSummary(row, told, bytes))
      try {
        await store.runs.write(row)
      } catch (error) {
        await store.index.remove(place, [runId]).catch(() => undefined)
        throw error
      }
    },
    async task(number, row) {
      told.push({ id: row.task.id, status: row.task.status })
      await write(async () => {
        bytes += await store.runs.writeTask(runId, number, row)
      })
    },
    async end(row, baselines) {
      const works = [
        () => store.runs.write(row),
        () => store.index.update(place, toSummary(row, told, bytes)),
        () => store.index.count(bytes),
        () => store.cache.writeBaselines(row.job, baselines),
      ]
      // A store that does not answer is waited for once.
      for (const work of works) if (!(await write(work, PATIENCE_MS))) return
    },
  }
}
