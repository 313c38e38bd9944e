import type { ListedRun } from '../contracts/runs.ts'
import { ownFunctionOf } from '../record/call-record.ts'
import type { ContextPack, RunRecord } from '../record/run-record.ts'
import type { Status } from '../record/status.ts'
import type { RunStore } from '../store/store.ts'
import type { StoreLook } from './checks.ts'

/** Which runs and calls are wanted. */
export interface EntryQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly kind?: 'run' | 'call' | undefined
  readonly job?: string | undefined
  readonly task?: string | undefined
  readonly status?: Status | undefined
  readonly since?: string | undefined
  /** Asked of everything that fits the rest. */
  readonly accept?: ((entry: ListedRun) => boolean) | undefined
  /** Whether an entry still fits on the page, which has one at least. */
  readonly hasRoom?: ((entry: ListedRun) => boolean) | undefined
}

/** The newest first. */
export interface EntryPage {
  readonly entries: ListedRun[]
  readonly cursor?: string | undefined
}

/** The records, as inspection reads them. Nothing here writes. */
export interface RecordReader {
  list(query: EntryQuery): Promise<EntryPage>
  read(runId: string): Promise<{ record: RunRecord; task_count: number; context_packs: ContextPack[] } | undefined>
  /** About how much there is. */
  look(): Promise<StoreLook>
}

/** Reads of a store: the records of runs and calls, and how much there is of them. */
export function createRecordReader(store: Pick<RunStore, 'list' | 'read' | 'index' | 'calls'>): RecordReader {
  return {
    async list({ limit, cursor, kind, since, hasRoom, ...filter }) {
      const page = await store.list({ limit, cursor, kind, since, keep: (entry) => fits(entry, filter), hasRoom })
      return { entries: page.entries, cursor: page.cursor }
    },
    async read(runId) {
      const found = await store.read(runId)
      if (found === undefined) return undefined
      const context_packs = found.kept.tasks.flatMap((task) => (task?.pack === undefined ? [] : [task.pack]))
      return { record: found.record, task_count: found.kept.row.task_count, context_packs }
    },
    async look() {
      const [runs, calls] = await Promise.all([store.index.head(), store.calls.head()])
      return { runs, calls }
    },
  }
}

function fits(
  entry: ListedRun,
  { job, task, status, accept }: Pick<EntryQuery, 'job' | 'task' | 'status' | 'accept'>,
): boolean {
  if (job !== undefined && !(entry.kind === 'run' && entry.job === job)) return false
  if (status !== undefined && !(entry.kind === 'run' && entry.status === status)) return false
  if (task !== undefined && !isOfTask(entry, task)) return false
  return accept === undefined || accept(entry)
}

function isOfTask(entry: ListedRun, task: string): boolean {
  if (entry.kind === 'run') return entry.tasks.some(({ id }) => id === task)
  return entry.kind === 'call' && ownFunctionOf(entry) === task
}
