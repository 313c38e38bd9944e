import { z } from 'zod'
import { Payload } from './payload.ts'
import { isRunId } from './run-id.ts'
import { RunVia, Status } from './status.ts'

/** Of rows and records; another version is not read. */
export const SCHEMA_VERSION = 1

export const RunId = z
  .string()
  .refine(isRunId, 'expected a run id as `iii-runs runs`, or runs::list_runs, shows it: 26 digits and capital letters')
const at = z.iso.datetime()
const duration = z.number().nonnegative()

/** The client of the bridge that started a run, as it calls itself. */
export const RecordedClient = z.object({ name: z.string().optional(), version: z.string().optional() })
export type RecordedClient = z.infer<typeof RecordedClient>

/** Why a task or a run did not pass. */
export const RunError = z.object({
  /** A code of a fault, or `is_error`, `input_required`, `lock_lost`. */
  code: z.string(),
  message: z.string(),
})
export type RunError = z.infer<typeof RunError>

/** Whether a task was computed or taken from the cache, and why. */
export const CacheReceipt = z.object({
  decision: z.enum(['hit', 'miss', 'disabled', 'bypassed']),
  /** In words: `input changed: /day`. */
  reason: z.string(),
  key: z.string().optional(),
  /** The run whose result was taken. */
  run_id: RunId.optional(),
})
export type CacheReceipt = z.infer<typeof CacheReceipt>

/** One task of a run. */
export const TaskRecord = z.object({
  id: z.string(),
  status: Status,
  started_at: at.optional(),
  finished_at: at.optional(),
  duration_ms: duration.optional(),
  input: Payload.optional(),
  output: Payload.optional(),
  error: RunError.optional(),
  cache: CacheReceipt,
  /** The tasks whose results it got, with the digests of those results. */
  needs: z.record(z.string(), z.string()),
  /** Of a task that was not begun, the tasks whose results it would have got. */
  depends_on: z.array(z.string()).optional(),
  definition_fingerprint: z.string(),
})
export type TaskRecord = z.infer<typeof TaskRecord>

/** What a person or an agent needs to go on with a task that did not pass. */
export const ContextPack = z.object({
  task: z.string(),
  error: RunError,
  /** The last of what the function said, with its secrets taken out. */
  tail: z.string().optional(),
  /** The command that runs it again with the same input. */
  reproduce: z.string(),
  /** JSON pointers that differ from the last run that passed. */
  difference: z
    .object({ added: z.array(z.string()), removed: z.array(z.string()), changed: z.array(z.string()) })
    .optional(),
})
export type ContextPack = z.infer<typeof ContextPack>

const LockRef = z.object({ name: z.string(), generation: z.int().positive() })

/** What is known of a run without its tasks. */
const head = {
  schema_version: z.literal(SCHEMA_VERSION),
  id: RunId,
  job: z.string(),
  via: RunVia,
  client: RecordedClient.optional(),
  /** Of the client that started it: a keyed handle of its session, and who it is where the bridge knows that. */
  session: z.string().optional(),
  principal: z.string().optional(),
  /** The worker that started it, where it came over the bus. */
  caller_worker: z.string().optional(),
  /** The function that is there as long as the process that runs it. */
  holder: z.string(),
  lock: LockRef,
  status: Status,
  exit_code: z.int().optional(),
  error: RunError.optional(),
  started_at: at,
  finished_at: at.optional(),
  duration_ms: duration.optional(),
  force: z.boolean(),
  input: Payload,
  /** Something of it could not be kept. */
  truncated: z.boolean().optional(),
}

/** A run, as tools and commands show it. */
export const RunRecord = z.object({ ...head, tasks: z.array(TaskRecord) })
export type RunRecord = z.infer<typeof RunRecord>

/** The row of a run in scope `runs`: small, whatever the run is. The records of its tasks lie in `runs-detail`, by their number. */
export const RunRow = z.object({ ...head, task_count: z.int().nonnegative() })
export type RunRow = z.infer<typeof RunRow>

/** A task as it lies in `runs-detail`. */
export const TaskRecordRow = z.object({ task: TaskRecord, pack: ContextPack.optional() })
export type TaskRecordRow = z.infer<typeof TaskRecordRow>

/** A run in a list. */
export const RunSummary = z.object({
  kind: z.literal('run'),
  id: RunId,
  job: z.string(),
  via: RunVia,
  status: Status,
  exit_code: z.int().optional(),
  started_at: at,
  finished_at: at.optional(),
  duration_ms: duration.optional(),
  client: RecordedClient.optional(),
  session: z.string().optional(),
  principal: z.string().optional(),
  holder: z.string(),
  lock: LockRef,
  /** The first of them; `task_count` says how many there are. */
  tasks: z.array(z.object({ id: z.string(), status: Status })),
  task_count: z.int().nonnegative(),
  /** What its details take in the store. */
  bytes: z.int().nonnegative().optional(),
})
export type RunSummary = z.infer<typeof RunSummary>
