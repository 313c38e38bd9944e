import { cutUtf8 } from '@iii/protocol'
import { type RunRecord, RunRow, type TaskRecord, TaskRecordRow } from '../record/run-record.ts'
import type { Rows } from './rows.ts'

/** What is kept of one run. */
export interface KeptRun {
  readonly row: RunRow
  /** By number; one that has not ended, or cannot be read, is missing. */
  readonly tasks: readonly (TaskRecordRow | undefined)[]
}

/** The rows of runs and of their tasks. */
export interface RunRows {
  write(row: RunRow): Promise<void>
  writeTask(runId: string, number: number, task: TaskRecordRow): Promise<number>
  /** Undefined for a run that is not there, or cannot be read. */
  read(runId: string): Promise<KeptRun | undefined>
  readRow(runId: string): Promise<RunRow | undefined>
  /** @returns the keys of the cache that its tasks have filled */
  remove(runId: string, taskCount: number): Promise<string[]>
}

/** A row is that small; errors are cut to fit. */
export const MAX_ROW_BYTES = 8 * 1024
/** As many as a job may have tasks. */
const MAX_TASKS = 256
const AT_ONCE = 16

export function createRunRows(rows: Rows): RunRows {
  const toKey = (runId: string, number: number) => `${runId}/${number}`

  async function readRow(runId: string): Promise<RunRow | undefined> {
    const parsed = RunRow.safeParse(await rows.get('runs', runId))
    return parsed.success && parsed.data.id === runId ? parsed.data : undefined
  }

  return {
    readRow,
    write: (row) => rows.set('runs', row.id, toSmall(row)),
    async writeTask(runId, number, task) {
      await rows.set('detail', toKey(runId, number), task)
      return Buffer.byteLength(JSON.stringify(task))
    },
    async read(runId) {
      const row = await readRow(runId)
      if (row === undefined) return undefined
      const tasks = await forEach(row.task_count, (number) => rows.get('detail', toKey(runId, number)))
      return { row, tasks: tasks.map(toTaskRow) }
    },
    async remove(runId, taskCount) {
      const removed = await forEach(taskCount, (number) => rows.delete('detail', toKey(runId, number)))
      await rows.delete('runs', runId)
      return removed.flatMap((value) => {
        const cache = toTaskRow(value)?.task.cache
        return cache?.key === undefined || cache.decision === 'hit' ? [] : [cache.key]
      })
    },
  }
}

/** A run as tools and commands show it: the tasks that have ended, in the order in which they were planned. */
export function toRecord({ row, tasks }: KeptRun): RunRecord {
  const { task_count, ...head } = row
  const there = tasks.flatMap((row): TaskRecord[] => (row === undefined ? [] : [row.task]))
  const isWhole = there.length === task_count || row.status === 'running'
  return { ...head, tasks: there, ...(isWhole ? {} : { truncated: true }) }
}

function toTaskRow(value: unknown): TaskRecordRow | undefined {
  return TaskRecordRow.safeParse(value).data
}

/** What does not fit is left out, the input first: it stands in the payloads of the tasks, too. */
function toSmall(row: RunRow): RunRow {
  if (isSmall(row)) return row
  const { value: _, ...input } = row.input
  const without = { ...row, input: { ...input, omitted: 'too_large' as const }, truncated: true }
  if (isSmall(without) || row.error === undefined) return without
  return { ...without, error: { ...row.error, message: cutUtf8(row.error.message, 1024) } }
}

function isSmall(row: RunRow): boolean {
  return Buffer.byteLength(JSON.stringify(row)) <= MAX_ROW_BYTES
}

async function forEach<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  const total = Math.min(count, MAX_TASKS)
  for (let at = 0; at < total; at += AT_ONCE) {
    const length = Math.min(AT_ONCE, total - at)
    results.push(...(await Promise.all(Array.from({ length }, (_, offset) => work(at + offset)))))
  }
  return results
}
