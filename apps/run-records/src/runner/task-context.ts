import type { Worker } from '@iii/sdk'
import type { KnownBaseline } from '../cache/stored.ts'
import type { Job } from '../jobs/job.ts'
import type { Digests } from '../record/digests.ts'
import type { RunRow } from '../record/run-record.ts'
import type { KnownSecrets } from '../redaction/known-secrets.ts'
import type { RunStore } from '../store/store.ts'
import type { Stop } from './outcome.ts'
import type { Results } from './task-results.ts'

/** What the tasks of a run share. */
export interface TaskContext {
  readonly worker: Pick<Worker, 'trigger'>
  readonly cache: RunStore['cache']
  readonly run: Pick<RunRow, 'id' | 'job' | 'force' | 'principal'>
  readonly digests: Digests
  readonly cacheEpoch: number
  readonly baselines: ReadonlyMap<string, KnownBaseline>
  readonly results: Results
  /** What was given to the job is described by it. */
  readonly job: Pick<Job, 'targets' | 'input'>
  /** Of all tasks: each may hear of the others. */
  readonly known: KnownSecrets
  readonly limits: { readonly inputBytes: number; readonly outputBytes: number }
  /** Whether a task may be started now; waits while nobody can tell. */
  mayStart(): Promise<boolean>
  /** Writes something that goes with the run, as far as it may. */
  write(work: () => Promise<unknown>): Promise<void>
  /** Gives up what is under way. */
  readonly signal: AbortSignal
  /** Why it was given up. */
  stopped(): Stop | undefined
  /** How long the run may still take. */
  leftMs(): number
}
