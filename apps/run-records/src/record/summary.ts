import type { RunRow, RunSummary } from './run-record.ts'

/** As many tasks stand in a summary. */
const MAX_TASKS = 64

/** What a list says of a run. */
export function toSummary(row: RunRow, tasks: RunSummary['tasks'], bytes: number): RunSummary {
  const { schema_version: _version, input: _input, error: _error, truncated: _truncated, ...rest } = row
  const { force: _force, caller_worker: _worker, ...told } = rest
  return { kind: 'run', ...told, tasks: tasks.slice(0, MAX_TASKS), bytes }
}
