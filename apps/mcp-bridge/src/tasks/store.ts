import { createStateScope, type Worker } from '@iii/sdk'
import { isExpired, type Outcome, TASK_SCOPES, TaskRow } from './record.ts'
import { readWritten } from './written.ts'

/** What all bridges of an engine know of tasks. Every method rejects when the engine has no state. */
export interface TaskStore {
  get(id: string): Promise<TaskRow | undefined>
  save(row: TaskRow, outcome?: Outcome): Promise<void>
  /** What came of a task; undefined when nothing is written down, by its bridge or by its function. */
  outcome(row: TaskRow): Promise<Outcome | undefined>
  /** Removes all whose time is over. It reads every row: not for each request. */
  sweep(now: number): Promise<void>
}

export function createTaskStore(engine: Pick<Worker, 'trigger'>, timeoutMs: number): TaskStore {
  const rows = createStateScope(engine, TASK_SCOPES.tasks, { schema: TaskRow, timeoutMs })
  const results = createStateScope<unknown>(engine, TASK_SCOPES.results, { timeoutMs })
  return {
    get: (id) => rows.get(id),
    async save(row, outcome) {
      // A row says that the task is over only once there is something to read.
      if (outcome !== undefined) await results.set(row.id, outcome)
      await rows.set(row.id, row)
    },
    outcome: async (row) => readWritten(await results.get(row.id), row),
    async sweep(now) {
      for (const row of await rows.list()) {
        if (isExpired(row, now)) await Promise.all([rows.delete(row.id), results.delete(row.id)])
      }
    },
  }
}
