import type { RunRow, RunSummary } from './run-record.ts'

/** What the tasks of a summary take in its row, which is read as a whole: enough for those of nearly all jobs. */
const MAX_TASKS_BYTES = 32 * 1024

/** What is kept to find a run by. */
export function toSummary(row: RunRow, tasks: RunSummary['tasks'], bytes: number): RunSummary {
  const { schema_version: _version, input: _input, error: _error, truncated: _truncated, ...rest } = row
  const { force: _force, caller_worker: _worker, ...told } = rest
  return { kind: 'run', ...told, tasks: toFew(tasks), bytes }
}

function toFew(tasks: RunSummary['tasks']): RunSummary['tasks'] {
  let left = MAX_TASKS_BYTES
  const end = tasks.findIndex((task) => {
    left -= Buffer.byteLength(JSON.stringify(task))
    return left < 0
  })
  return end === -1 ? [...tasks] : tasks.slice(0, end)
}
