import type { Plan } from '../jobs/plan.ts'
import type { RecordedClient, RunRecord } from '../record/run-record.ts'
import type { RunVia, Status } from '../record/status.ts'

/** A run that somebody wants. */
export interface RunRequest {
  readonly job: string
  readonly input?: unknown
  /** Compute everything again, whatever is cached. @default false */
  readonly force?: boolean | undefined
  readonly via: RunVia
  readonly client?: RecordedClient | undefined
  readonly session?: string | undefined
  readonly principal?: string | undefined
  readonly caller_worker?: string | undefined
  /** How long to wait for the lock. @default 0 */
  readonly waitMs?: number | undefined
  /** Is told once what has the lock, when it has to be waited for. */
  readonly onWaiting?: ((blocker: { lock: string; run: string }) => void) | undefined
  /** Cancels the run. A reason `{ exitCode }` is what the run then ends with. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined
  /** Is asked before anything else happens, and last of all before the run begins; throws a Fault for who may not run this. */
  readonly check?: ((plan: Plan) => void | Promise<void>) | undefined
}

/** What happens to a task. */
export interface TaskProgress {
  readonly runId: string
  readonly task: string
  readonly status: Status
  readonly duration_ms?: number | undefined
  /** Tasks that have ended, and all of them. */
  readonly done: number
  readonly total: number
}

/** A run that has begun. */
export interface StartedRun {
  readonly id: string
  /** The record as it is now. */
  record(): RunRecord
  /** Resolves when the run has ended and its record is written; never rejects. */
  readonly finished: Promise<RunRecord>
}
