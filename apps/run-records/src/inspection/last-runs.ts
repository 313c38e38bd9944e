import type { ListedRun } from '../contracts/runs.ts'
import type { Status } from '../record/status.ts'

export interface LastRun {
  run_id: string
  status: Status
  started_at: string
}

const RUNS_TOLD = 3

/** How each task went the last times, the newest first. @param entries the newest first */
export function toLastRuns(entries: readonly ListedRun[]): Map<string, LastRun[]> {
  const found = new Map<string, LastRun[]>()
  for (const entry of entries) {
    if (entry.kind !== 'run') continue
    for (const { id, status } of entry.tasks) {
      const runs = found.get(id) ?? []
      if (runs.length < RUNS_TOLD) found.set(id, [...runs, { run_id: entry.id, status, started_at: entry.started_at }])
    }
  }
  return found
}
