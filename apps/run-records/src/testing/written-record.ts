import { createRunId } from '../record/run-id.ts'
import type { RunRecord, TaskRecord } from '../record/run-record.ts'
import { toSummary } from '../record/summary.ts'
import type { RunStore } from '../store/store.ts'

/** What is said of a run or task; the rest is as of one that passed. */
export type RunDraft = Omit<Partial<RunRecord>, 'tasks'> & {
  tasks: readonly (Partial<TaskRecord> & { id: string })[]
  /** More than there are, for a run that has not ended them all. */
  task_count?: number
}

let at = Date.parse('2026-11-22T06:00:00Z')

/** Writes the record of a run that is over, each a second after the one before. */
export async function writeRecord(store: RunStore, { task_count = 0, ...run }: RunDraft): Promise<RunRecord> {
  at += 1_000
  const time = new Date(at).toISOString()
  const record: RunRecord = {
    schema_version: 1,
    id: createRunId(at),
    job: 'nightly',
    via: 'cli',
    holder: 'runs::holder-gone',
    lock: { name: 'default', generation: 1 },
    status: 'passed',
    exit_code: 0,
    started_at: time,
    finished_at: time,
    duration_ms: 5,
    force: false,
    input: { value: {} },
    ...run,
    tasks: run.tasks.map((task) => ({
      status: 'passed',
      started_at: time,
      finished_at: time,
      duration_ms: 5,
      cache: { decision: 'miss', reason: 'never passed' },
      needs: {},
      definition_fingerprint: 'f',
      ...task,
    })),
  }
  const { tasks, ...head } = record
  const planned = Math.max(task_count, tasks.length)
  await store.runs.write({ ...head, task_count: planned })
  for (const [number, task] of tasks.entries()) await store.runs.writeTask(record.id, number, { task })
  const told = tasks.map(({ id, status }) => ({ id, status }))
  await store.index.add(toSummary({ ...head, task_count: planned }, told, 0))
  return record
}
