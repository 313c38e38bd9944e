import { Fault } from '@iii/protocol'
import type { Logger, Worker } from '@iii/sdk'
import { toKnownBaselines } from '../cache/known-baselines.ts'
import type { Plan } from '../jobs/plan.ts'
import type { LockHolder } from '../lock/holder.ts'
import type { LockLease } from '../lock/lease.ts'
import type { Locks } from '../lock/locks.ts'
import type { Options } from '../options.ts'
import { createRunId } from '../record/run-id.ts'
import type { RunRecord } from '../record/run-record.ts'
import { EXIT_CODES } from '../record/status.ts'
import { toKeep } from '../store/keep.ts'
import type { Removed } from '../store/retention.ts'
import type { RunStore } from '../store/store.ts'
import { createExecution, type Execution } from './execution.ts'
import { toFirstRow } from './first-row.ts'
import { createJournal, type Journal } from './journal.ts'
import { createOrphanedRuns, type OrphanedRuns } from './orphaned-runs.ts'
import { type PreparedJob, prepare, prepareAgain } from './prepare.ts'
import { toLockConflict } from './refusal.ts'
import type { RunRequest, StartedRun } from './request.ts'
import { createStopper } from './stopper.ts'

/** The one thing that runs jobs: whoever wants a run, on whatever way, comes here. */
export interface Runner {
  /**
   * Begins a run: the job is known, its input fits, it has its lock, and its beginning is written.
   *
   * @throws Fault `not_found` for a job that does not exist, `invalid_input` for an input that does not fit, `conflict` while another run
   *   has the lock, `unavailable` for a function that is missing and a store that does not answer. Nothing was run then.
   */
  start(request: RunRequest): Promise<StartedRun>
  /** Counts calls anew, removes some hundred old records at most, and ends those that nobody runs any more; the locks of dead processes it watches until they are free. */
  collect(): Promise<Removed>
  /** Ends the record of a run that has lost its lock, unless its process still runs it. */
  settle(runId: string): Promise<void>
  /** Cancels what is under way in this process, lets nobody wait for a lock any more, and resolves when its records are written. */
  close(): Promise<void>
}

export interface RunnerParts {
  readonly worker: Worker
  readonly store: RunStore
  readonly locks: Locks
  readonly holder: LockHolder
  options(): Options
  readonly log: Logger
}

export function createRunner(parts: RunnerParts): Runner {
  const { worker, store, locks, holder, options, log } = parts
  const orphanedRuns = createOrphanedRuns(worker, store, locks)
  /** From the moment that they have their lock. */
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()

  async function begin(request: RunRequest, id: string, taken: TakenLock, wanted: PreparedJob): Promise<StartedRun> {
    const { lease, hasWaited } = taken
    const prepared = hasWaited ? await prepareAgain(wanted, worker, options().jobs, request) : wanted
    const { plan, definitions } = prepared
    const [facts, all] = await Promise.all([store.facts.ensure(), store.cache.baselines(request.job)])
    const row = toFirstRow(request, { id, plan, definitions, lease, facts, holder: holder.id, options: options() })
    const baselines = toKnownBaselines(all, row)
    const journal = createJournal(store, lease, id, log)
    await request.check?.(plan)
    if (closing.signal.aborted) throw new Fault('unavailable', 'this process ends: nothing was run')
    await journal.begin(row)
    const stopper = createStopper(lease, request.signal, plan.job.timeout_ms)
    const shared = { worker, store, lease, journal, stopper, facts, baselines, row, options: options() }
    const execution = createExecution({ ...shared, ...prepared, onProgress: request.onProgress })
    const leave = holder.enter(id, () => stopper.cancel())
    return { id, record: execution.record, finished: finish(execution, journal, leave, lease) }
  }

  /** A few rows are left over between two times. */
  async function collectWhenDue(): Promise<void> {
    const { entries, bytes } = await store.index.head()
    const keep = toKeep(options())
    if (entries > keep.runs || bytes > keep.bytes) await store.collectSurplus(keep, orphanedRuns.settleSummary)
  }

  async function finish(
    execution: Execution,
    journal: Journal,
    leave: () => void,
    lease: LockLease,
  ): Promise<RunRecord> {
    try {
      return await execution.run()
    } finally {
      leave()
      await lease.release()
      // A store that gives no answer was waited for: what is too much goes with the next run, or within the hour.
      if (!journal.isSilent)
        await collectWhenDue().catch((error) => log.warn({ reason: String(error) }, 'old runs were not removed'))
    }
  }

  return {
    async start(request) {
      const wanted = await prepare(worker, options().jobs, request)
      const id = createRunId()
      const signal = AbortSignal.any([closing.signal, ...(request.signal ? [request.signal] : [])])
      const taken = await takeLock({ ...parts, orphanedRuns }, { ...request, signal }, wanted.plan, id)
      const started = begin({ ...request, signal }, id, taken, wanted).catch(async (error) => {
        await taken.lease.release()
        throw error
      })
      const finished = started.then((run) => run.finished)
      const done: Promise<unknown> = finished.catch(() => undefined).then(() => running.delete(done))
      running.add(done)
      return await started
    },
    async collect() {
      await store.calls.recount()
      return await store.collect(toKeep(options()), orphanedRuns.watchSummary)
    },
    settle: orphanedRuns.settle,
    async close() {
      closing.abort({ exitCode: EXIT_CODES.terminated })
      await Promise.all(running)
    },
  }
}

interface TakenLock {
  readonly lease: LockLease
  /** Somebody else had it. */
  readonly hasWaited: boolean
}

async function takeLock(
  { locks, holder, orphanedRuns }: RunnerParts & { orphanedRuns: OrphanedRuns },
  { waitMs, signal, onWaiting, via }: RunRequest,
  { job }: Plan,
  id: string,
): Promise<TakenLock> {
  holder.serve()
  let hasWaited = false
  const got = await locks.acquire(
    job.lock,
    { holder: holder.id, run: id },
    {
      waitMs,
      signal,
      onWaiting({ run }) {
        hasWaited = true
        onWaiting?.({ lock: job.lock, run })
      },
      onTakenOver: ({ run }) => orphanedRuns.settle(run),
    },
  )
  if ('lease' in got) return { lease: got.lease, hasWaited }
  throw toLockConflict(job, got.conflict, via)
}
