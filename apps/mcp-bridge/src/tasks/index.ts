import { isRecord, toToolResult } from '@iii/protocol'
import type { Logger, Worker } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { Directory } from '../gate/directory.ts'
import type { Invoker } from '../invocation/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { CallParams, Params } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError, requireText, type TaskStateResult } from '../mcp/rpc.ts'
import { toShownResult } from '../mcp/shown-result.ts'
import type { BridgeOptions } from '../options.ts'
import type { Fingerprints } from '../sessions/fingerprint.ts'
import { createAbsences } from './absence.ts'
import { createOrphans } from './after-restart.ts'
import { isForTask, requireExtension } from './extension.ts'
import { serveTaskOwners, type TaskOwners, type TaskRequest } from './owners.ts'
import { createProcessTasks, type TaskCandidate } from './process-tasks.ts'
import { formatTask } from './record.ts'
import { createTaskRequests, type Handled } from './requests.ts'
import { createTaskStore } from './store.ts'
import { toTaskFacts } from './written.ts'

export { TASKS_EXTENSION } from './extension.ts'
export type { TaskCandidate } from './process-tasks.ts'

/** Long jobs: the reply is a handle, and what comes of the job is asked for. */
export interface Tasks {
  /**
   * Makes a task of a tool call, for functions that want it and clients that can take it.
   *
   * @returns the result with the handle; undefined for an ordinary call, also where there is no room for a task and it need not be one
   * @throws RpcError for a client that cannot take the task that it has to be, and when too many run; a Fault in revisions that have no
   *   tasks
   */
  begin(job: TaskCandidate, call: McpCall, params: CallParams): Promise<TaskStateResult | undefined>
  get(params: Params<'tasks/get'>, call: McpCall): Promise<TaskStateResult>
  update(params: Params<'tasks/update'>, call: McpCall): Promise<TaskStateResult>
  cancel(params: Params<'tasks/cancel'>, call: McpCall): Promise<TaskStateResult>
  /** Removes what nobody may ask for any more. Never rejects. */
  sweep(): Promise<void>
  /** What runs is left to itself: functions that keep their results still end well. */
  close(): void
}

export interface TasksOptions {
  readonly worker: Pick<Worker, 'trigger' | 'registerFunction' | 'namespace' | 'url'>
  readonly directory: Pick<Directory, 'describe'>
  readonly invoker: Pick<Invoker, 'once' | 'answersIn'>
  /** Tells whose a task is. */
  readonly fingerprints: Fingerprints
  /** The prefix under `mcp::` that belongs to this bridge process alone. */
  readonly via: string
  readonly log: Logger
  readonly engineTimeoutMs: number
  readonly options: () => Pick<BridgeOptions, 'maxResultBytes'>
  /** How many run at once, and how many are kept with those that are over, of those that this process began for one share. @default 128, 1000 */
  readonly atOnce?: number
  readonly kept?: number
  /** What came of those that are over, together, in bytes. @default 256 MiB */
  readonly keptBytes?: number
  /** How many of somebody's run at once, within that. @default as many as run */
  readonly limitOf?: (principal: Principal) => number
  /** How long a bridge or a worker may be away before it counts as gone. */
  readonly awayMs: number
  /** @default Date.now */
  readonly now?: () => number
}

const SWEEP_EVERY_MS = 10 * 60_000

export function serveTasks(facts: TasksOptions): Tasks {
  const { worker, directory, invoker, fingerprints, via, log, engineTimeoutMs: timeoutMs, awayMs } = facts
  const {
    atOnce = 128,
    kept = 1_000,
    keptBytes = 256 * 1024 * 1024,
    limitOf = () => Number.POSITIVE_INFINITY,
    now = Date.now,
  } = facts
  const maxResultBytes = () => facts.options().maxResultBytes
  const store = createTaskStore(worker, timeoutMs)
  const absences = createAbsences(awayMs, now)
  const places = { atOnce, kept, keptBytes }
  const own = createProcessTasks({ store, invoker, fingerprints, via, log, ...places, maxResultBytes, now })
  const orphans = createOrphans({ store, directory, absences, now })
  const requests = createTaskRequests({ find: own.find, store, owners: () => owners, orphans, fingerprints, now })
  const reach = { worker, via, timeoutMs, absences }
  const owners: TaskOwners = serveTaskOwners({ ...reach, find: own.find, perform: requests.perform })

  let sweptAt = Number.NEGATIVE_INFINITY
  /** A store that is too large to be read costs the connection: whoever connects anew because of that must not do it again at once. */
  async function sweep(): Promise<void> {
    if (now() - sweptAt < SWEEP_EVERY_MS / 2) return
    sweptAt = now()
    await store.sweep(now()).catch(() => undefined)
  }
  const sweeps = setInterval(() => void sweep(), SWEEP_EVERY_MS).unref()

  async function handle(
    op: TaskRequest['op'],
    params: Params<'tasks/update'>,
    call: McpCall,
  ): Promise<TaskStateResult> {
    requireExtension(call)
    const taskId = requireText(params.taskId, 'taskId', `tasks/${op}`)
    const { inputResponses: responses } = params
    if (op === 'update' && !isRecord(responses)) throw invalidParams("tasks/update needs an object 'inputResponses'")
    const answers = op === 'update' && isRecord(responses) ? { responses } : {}
    const handled = await requests.handle({ op, task_id: taskId, ...answers }, call.principal)
    return op === 'get' ? toShown(handled, call, maxResultBytes()) : handled.details
  }

  /** Why somebody may begin no more; undefined while they may. */
  function toFullText(principal: Principal): string | undefined {
    if (principal.method === 'off') return undefined
    const most = limitOf(principal)
    if (own.countOf(principal) < most) return undefined
    return `Too many tasks: this caller has ${most} running, which is its limit; try again when some are over`
  }

  return {
    async begin(job, call, params) {
      const { functionId, metadata } = job.invocation.pass
      if (!isForTask(functionId, metadata, call)) return undefined
      const answers = await invoker.answersIn(functionId, call, params)
      if (metadata.asks_first === true && answers === undefined) return undefined
      const full = toFullText(call.principal)
      const row = full === undefined ? await own.begin(job, call, { params, answers }) : undefined
      if (row !== undefined) return { resultType: 'task', ...formatTask(row) }
      if (metadata.task === 'optional') return undefined
      const all = `Too many tasks: this server runs ${atOnce} at once; try again when some are over`
      throw new RpcError(RPC.overloaded, full ?? all)
    },
    get: (params, call) => handle('get', params, call),
    update: (params, call) => handle('update', params, call),
    cancel: (params, call) => handle('cancel', params, call),
    sweep,
    close() {
      own.close()
      clearInterval(sweeps)
    },
  }
}

/** What came of a task is shown as the result of a call is. */
function toShown({ row, details }: Handled, call: McpCall, maxBytes: number): TaskStateResult {
  if (!isRecord(details.result)) return details
  const result = toToolResult(details.result, { hasOutputSchema: row.has_output_schema })
  return { ...details, result: { ...toShownResult(result, () => toTaskFacts(row), call, maxBytes) } }
}
