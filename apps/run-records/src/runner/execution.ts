import { setMaxListeners } from 'node:events'
import { type Fault, toFault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { toTaskFingerprint } from '../cache/fingerprint.ts'
import type { Baseline, KnownBaseline } from '../cache/stored.ts'
import type { Plan, PlannedTask } from '../jobs/plan.ts'
import type { LockLease } from '../lock/lease.ts'
import type { Options } from '../options.ts'
import { createDigests } from '../record/digests.ts'
import { millisecondsSince } from '../record/duration.ts'
import type { RunError, RunRecord, RunRow, TaskRecord } from '../record/run-record.ts'
import { type Status, toExitCode } from '../record/status.ts'
import { createKnownSecrets } from '../redaction/known-secrets.ts'
import type { StoreFacts } from '../store/facts.ts'
import type { RunStore } from '../store/store.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import { toContextPack } from './context-pack.ts'
import type { Journal } from './journal.ts'
import { STOPS } from './outcome.ts'
import type { RunRequest } from './request.ts'
import { runInOrder } from './schedule.ts'
import type { Stopper } from './stopper.ts'
import type { TaskContext } from './task-context.ts'
import { createResults } from './task-results.ts'
import { runTask, type TaskEnd } from './task-run.ts'

/** A run that has its lock and whose beginning is written. */
export interface ExecutionParts {
  readonly worker: Worker
  readonly store: RunStore
  readonly lease: LockLease
  readonly journal: Journal
  readonly stopper: Stopper
  readonly plan: Plan
  readonly definitions: ReadonlyMap<string, TaskDefinition>
  readonly facts: StoreFacts
  readonly baselines: ReadonlyMap<string, KnownBaseline>
  readonly options: Options
  readonly row: RunRow
  readonly onProgress: RunRequest['onProgress']
}

export interface Execution {
  record(): RunRecord
  /** Runs all tasks and writes how it ended; never rejects. */
  run(): Promise<RunRecord>
}

export function createExecution(parts: ExecutionParts): Execution {
  const { plan, journal, stopper, onProgress } = parts
  const records = new Map<string, TaskRecord>()
  const baselines = new Map<string, Baseline>()
  const context = toContext(parts)
  const begun = performance.now()
  let { row } = parts

  function report(task: string, status: Status, duration_ms?: number): void {
    onProgress?.({ runId: row.id, task, status, duration_ms, done: records.size, total: plan.tasks.length })
  }

  async function keepTask(task: PlannedTask, record: TaskRecord, end?: TaskEnd): Promise<void> {
    records.set(task.id, record)
    report(task.id, record.status, record.duration_ms)
    const { error } = record
    const isBad = error !== undefined && (record.status === 'failed' || record.status === 'unknown')
    const pack = isBad ? toPack(parts, record, error, end) : undefined
    await journal.task(plan.tasks.indexOf(task), { task: record, ...(pack && { pack }) })
  }

  async function work(task: PlannedTask): Promise<boolean> {
    report(task.id, 'running')
    const end = await tryTask(context, task, parts.definitions)
    if (end === undefined) return false
    if (end.baseline !== undefined) baselines.set(task.id, end.baseline)
    await keepTask(task, end.record, end)
    return end.record.status === 'passed' || end.record.status === 'cached'
  }

  async function finish(): Promise<void> {
    const { status, error, exitCode } = judgeRun([...records.values()], stopper)
    row = {
      ...row,
      status,
      exit_code: exitCode,
      ...(error && { error }),
      finished_at: new Date().toISOString(),
      duration_ms: millisecondsSince(begun),
      ...(journal.isIncomplete && { truncated: true }),
    }
    await journal.end(row, baselines)
  }

  const record = (): RunRecord => {
    const { task_count: _, ...head } = row
    return { ...head, tasks: plan.tasks.flatMap(({ id }) => records.get(id) ?? []) }
  }

  return {
    record,
    async run() {
      const { concurrency } = plan.job
      const isStopped = () => stopper.signal.aborted
      await runInOrder(plan.tasks, work, { concurrency, isStopped })
      for (const task of plan.tasks) if (!records.has(task.id)) await keepTask(task, toSkipped(parts, task, records))
      stopper.end()
      await finish()
      return record()
    },
  }
}

function toContext(parts: ExecutionParts): TaskContext {
  const { worker, store, lease, stopper, journal, row, facts, baselines, options } = parts
  const digests = createDigests(facts.digestKey)
  // Every call under way listens to it.
  setMaxListeners(0, stopper.signal)
  return {
    worker,
    cache: store.cache,
    run: row,
    digests,
    cacheEpoch: facts.cacheEpoch,
    baselines,
    results: createResults(digests),
    job: parts.plan.job,
    known: createKnownSecrets(),
    limits: { inputBytes: options.recordInputBytes, outputBytes: options.recordOutputBytes },
    mayStart: () => lease.confirm(stopper.signal),
    write: journal.write,
    signal: stopper.signal,
    stopped: () => stopper.reason,
    leftMs: stopper.leftMs,
  }
}

/** A task that cannot even be begun has failed. */
async function tryTask(
  context: TaskContext,
  task: PlannedTask,
  definitions: ReadonlyMap<string, TaskDefinition>,
): Promise<TaskEnd | undefined> {
  const definition = definitions.get(task.id)
  if (definition === undefined) return toFailed(task, '', toGone(task.id))
  try {
    return await runTask(context, task, definition)
  } catch (error) {
    const { code, message } = toFault(error)
    return toFailed(task, toTaskFingerprint(definition), { code, message })
  }
}

function toGone(id: string): Pick<Fault, 'code' | 'message'> {
  return { code: 'unavailable', message: `No worker offers ${id} any more: start its worker` }
}

function toFailed(task: PlannedTask, fingerprint: string, error: RunError): TaskEnd {
  const now = new Date().toISOString()
  const record: TaskRecord = {
    id: task.id,
    status: 'failed',
    started_at: now,
    finished_at: now,
    duration_ms: 0,
    error,
    cache: { decision: 'disabled', reason: 'not begun' },
    needs: {},
    definition_fingerprint: fingerprint,
  }
  return { record, ingredients: { fingerprint, input: {}, needs: {} }, baseline: undefined }
}

function toSkipped(
  { definitions }: ExecutionParts,
  { id, needs }: PlannedTask,
  records: ReadonlyMap<string, TaskRecord>,
): TaskRecord {
  const definition = definitions.get(id)
  const isBad = (task: TaskRecord | undefined) => task?.status === 'failed' || task?.status === 'unknown'
  // What it waited for says more than what stopped the run.
  const bad = needs.map((need) => records.get(need)).find(isBad) ?? [...records.values()].find(isBad)
  return {
    id,
    status: 'skipped',
    cache: { decision: 'disabled', reason: `not started${toCause(bad)}` },
    needs: {},
    ...(needs.length > 0 && { depends_on: [...needs] }),
    definition_fingerprint: definition === undefined ? '' : toTaskFingerprint(definition),
  }
}

function toCause(bad: TaskRecord | undefined): string {
  if (bad === undefined) return ''
  return `: ${bad.id} ${bad.status === 'failed' ? 'failed' : 'ended in the unknown'}`
}

function toPack({ row, baselines }: ExecutionParts, record: TaskRecord, error: RunError, end: TaskEnd | undefined) {
  return toContextPack({
    task: record.id,
    job: row.job,
    error,
    output: record.output,
    input: row.input,
    baseline: baselines.get(record.id),
    ingredients: end?.ingredients,
  })
}

interface Verdict {
  readonly status: Exclude<Status, 'running'>
  readonly error?: RunError
  readonly exitCode: number
}

/** What a run is, by its tasks and by what stopped it. */
function judgeRun(tasks: readonly TaskRecord[], { reason, exitCode }: Stopper): Verdict {
  if (reason === 'cancelled') {
    return { status: 'cancelled', error: STOPS.cancelled, exitCode: exitCode ?? toExitCode('cancelled') }
  }
  if (reason === 'lock_lost') return { status: 'failed', error: STOPS.lock_lost, exitCode: toExitCode('failed') }
  if (reason === 'deadline') return { status: 'unknown', error: STOPS.deadline, exitCode: toExitCode('unknown') }
  const bad = tasks.find(({ status }) => status === 'failed') ?? tasks.find(({ status }) => status === 'unknown')
  if (bad !== undefined) {
    const status = bad.status === 'failed' ? 'failed' : 'unknown'
    const error = { code: bad.error?.code ?? status, message: `${bad.id}: ${bad.error?.message ?? status}` }
    return { status, error, exitCode: toExitCode(status) }
  }
  const status = tasks.every((task) => task.status === 'cached') ? 'cached' : 'passed'
  return { status, exitCode: toExitCode(status) }
}
