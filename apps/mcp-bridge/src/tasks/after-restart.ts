import { readInstance } from '@iii/protocol'
import type { Directory } from '../gate/directory.ts'
import { toKey } from '../gate/sight.ts'
import { RPC, type TaskStateResult } from '../mcp/rpc.ts'
import type { Absences } from './absence.ts'
import { formatDetails, isOver, type TaskOutcome, type TaskRow } from './record.ts'
import type { TaskStore } from './store.ts'

/** What is known of tasks that no bridge runs: what their bridge has written down, and what their functions have. */
export interface Orphans {
  /**
   * How such a task stands, with all that a client asks for.
   *
   * @param isKnownOver whatever is written down: an engine that was killed has forgotten what was written last
   */
  describe(row: TaskRow, isKnownOver: boolean): Promise<TaskStateResult>
  /** The same, and writes down that it is over: what a client was told stays so, whichever bridge it asks next. */
  settle(row: TaskRow, isKnownOver: boolean): Promise<TaskStateResult>
}

export interface OrphansOptions {
  readonly store: TaskStore
  readonly directory: Pick<Directory, 'describe'>
  readonly absences: Absences
  readonly now: () => number
}

export function createOrphans({ store, directory, absences, now }: OrphansOptions): Orphans {
  /** The very process that was called is still there, and says itself how it ends. */
  async function mayEnd(row: TaskRow): Promise<boolean> {
    if (isOver(row) || !row.keeps_result || row.status !== 'working' || now() > row.deadline_at) return false
    const functionKey = toKey({ namespace: row.namespace, id: row.function_id })
    const key = `${functionKey} ${row.worker}`
    const detail = (await directory.describe([functionKey])).get(functionKey)
    if (detail === undefined || readInstance(detail.metadata) !== row.worker) return !absences.isTooLong(key)
    absences.found(key)
    return true
  }

  async function look(row: TaskRow, isKnownOver: boolean) {
    const isStillOpen = !isKnownOver && (await mayEnd(row))
    // What is written is looked at last: the function may have ended meanwhile.
    const written = await store.outcome(row)
    const [standing, outcome] = toStanding(row, { isStillOpen, isKnownOver }, written)
    return { standing, outcome, written }
  }

  async function describe(row: TaskRow, isKnownOver: boolean): Promise<TaskStateResult> {
    const { standing, outcome } = await look(row, isKnownOver)
    return formatDetails(standing, outcome)
  }

  return {
    describe,
    async settle(row, isKnownOver) {
      const { standing, outcome, written } = await look(row, isKnownOver)
      if (!isOver(standing) || isOver(row)) return formatDetails(standing, outcome)
      const { input_requests: _, ...rest } = standing
      const ended = { ...rest, updated_at: now() }
      const stands = await store.save(ended, written === undefined ? outcome : undefined)
      return stands === ended ? formatDetails(ended, outcome) : describe(stands, true)
    },
  }
}

function toStanding(
  row: TaskRow,
  { isStillOpen, isKnownOver }: Record<'isStillOpen' | 'isKnownOver', boolean>,
  outcome: TaskOutcome | undefined,
): [TaskRow, TaskOutcome | undefined] {
  if (isOver(row)) return [row, outcome ?? toError(LOST)]
  if (outcome !== undefined) return [{ ...row, status: 'result' in outcome ? 'completed' : 'failed' }, outcome]
  if (isStillOpen) return [row, undefined]
  return [{ ...row, status: 'failed' }, toError(isKnownOver ? LOST : explainInterruption(row))]
}

const LOST = 'The task is over, but its result has been lost'

function explainInterruption({ function_id: id, status }: TaskRow): string {
  return status === 'input_required'
    ? `${id} waited for input when the server that ran the task stopped. It was not called again.`
    : `The server that ran ${id} stopped before the task was over. The outcome is unknown: it may still finish. It was not called again.`
}

function toError(message: string): TaskOutcome {
  return { error: { code: RPC.internal, message } }
}
