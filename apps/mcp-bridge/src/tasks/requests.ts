import { isAbsent } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import { RPC, RpcError, type TaskStateResult } from '../mcp/rpc.ts'
import type { Fingerprints } from '../sessions/fingerprint.ts'
import type { Orphans } from './after-restart.ts'
import type { TaskOwners, TaskRequest } from './owners.ts'
import { formatDetails, isExpired, isOver, type TaskRow } from './record.ts'
import type { RunningTask } from './running.ts'
import type { TaskStore } from './store.ts'

/** What clients ask of a task, on whichever bridge: the one that runs it does it; of one that nobody runs there is what was written. */
export interface TaskRequests {
  /** For a task that this process runs. @param principal as whom it goes on; undefined where another bridge does not say: as it was begun */
  perform(task: RunningTask, request: TaskRequest, principal: Principal | undefined): Promise<TaskStateResult>
  /** @throws RpcError for a task that is not there (any more), or is somebody else's */
  handle(request: TaskRequest, principal: Principal): Promise<Handled>
}

export interface Handled {
  readonly row: TaskRow
  readonly details: TaskStateResult
}

export interface TaskRequestsOptions {
  readonly find: (id: string) => RunningTask | undefined
  readonly store: TaskStore
  readonly owners: () => TaskOwners
  readonly orphans: Orphans
  readonly fingerprints: Pick<Fingerprints, 'isOf'>
  readonly now: () => number
}

const TASK_ID = /^[A-Za-z0-9_-]{1,64}$/

export function createTaskRequests({
  find,
  store,
  owners,
  orphans,
  fingerprints,
  now,
}: TaskRequestsOptions): TaskRequests {
  async function read(id: string, principal: Principal): Promise<TaskRow> {
    const row = TASK_ID.test(id) ? await store.get(id).catch(toUnknown) : undefined
    if (row !== undefined && !isExpired(row, now()) && (await fingerprints.isOf(row.owner, principal))) return row
    throw new RpcError(RPC.invalidParams, `Unknown task: ${id.slice(0, 64).toWellFormed()}`)
  }

  /**
   * What is written of a task that this process runs, where that is over: another bridge has missed this one and has told so. While
   * nothing can be read, it stands as this process knows it.
   */
  async function readEnded({ row }: RunningTask): Promise<TaskRow | undefined> {
    const stored = await store.get(row.id).catch(() => undefined)
    return stored !== undefined && isOver(stored) ? stored : undefined
  }

  async function performOpen(
    task: RunningTask,
    { op, responses = {} }: TaskRequest,
    principal: Principal | undefined,
  ): Promise<TaskStateResult> {
    const isLost = task.isLost && !isOver(task.row)
    if (op === 'get') return isLost ? orphans.settle(task.row, false) : formatDetails(task.row, task.outcome)
    if (op === 'update') await task.answer(responses, principal)
    // A lost one may have ended without our knowing.
    else if (!(isLost && hasEnded(await orphans.describe(task.row, false))))
      await task.cancel('Cancelled by the client')
    return {}
  }

  async function perform(
    task: RunningTask,
    request: TaskRequest,
    principal: Principal | undefined,
  ): Promise<TaskStateResult> {
    const ended = await readEnded(task)
    if (ended === undefined) return performOpen(task, request, principal)
    await task.cancel()
    return request.op === 'get' ? orphans.describe(ended, true) : {}
  }

  /** @param isKnownOver its bridge is there, and runs it no more */
  async function handleOrphan(
    row: TaskRow,
    { op }: TaskRequest,
    { principal, isKnownOver }: { principal: Principal; isKnownOver: boolean },
  ): Promise<TaskStateResult> {
    // It may have ended, and have been forgotten, since it was read.
    if (op === 'get') return orphans.settle(await read(row.id, principal), isKnownOver)
    if (op === 'cancel' && !hasEnded(await orphans.describe(row, isKnownOver))) {
      await store.save({ ...row, status: 'cancelled', updated_at: now() })
    }
    return {}
  }

  /** Of a task that is not over. */
  async function askOwner(row: TaskRow, request: TaskRequest, principal: Principal): Promise<TaskStateResult> {
    const told = await owners().ask(row, request, principal)
    const isKnownOver = told === 'over'
    if (told === 'gone' || isKnownOver) return handleOrphan(row, request, { principal, isKnownOver })
    if (told !== 'away') return told
    if (request.op === 'get') return formatDetails(row, undefined)
    throw new RpcError(RPC.internal, 'The server that runs the task is away for the moment: try again in a second')
  }

  return {
    perform,
    async handle(request, principal) {
      const task = find(request.task_id)
      if (task !== undefined && (await fingerprints.isOf(task.row.owner, principal))) {
        return { row: task.row, details: await perform(task, request, principal) }
      }
      const row = await read(request.task_id, principal)
      if (!isOver(row)) return { row, details: await askOwner(row, request, principal) }
      return { row, details: request.op === 'get' ? await orphans.describe(row, true) : {} }
    },
  }
}

function hasEnded({ status }: TaskStateResult): boolean {
  return status !== 'working'
}

/** An engine without state knows no tasks. */
function toUnknown(error: unknown): undefined {
  if (isAbsent(error, 'state::get')) return undefined
  throw error
}
