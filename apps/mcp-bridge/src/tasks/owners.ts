import { isRecord } from '@iii/protocol'
import { isAbsent, type Worker } from '@iii/sdk'
import { z } from 'zod'
import type { Principal } from '../auth/principal.ts'
import { readToldPrincipal, ToldPrincipal, tellPrincipal } from '../auth/told-principal.ts'
import { RpcError, type TaskStateResult } from '../mcp/rpc.ts'
import type { Absences } from './absence.ts'
import type { TaskRow } from './record.ts'
import type { RunningTask } from './running.ts'

/** What one bridge asks another about a task that the other runs. */
export type TaskRequest = z.infer<typeof TaskRequest>
const TaskRequest = z.object({
  op: z.enum(['get', 'update', 'cancel']),
  task_id: z.string(),
  responses: z.record(z.string(), z.unknown()).optional(),
  /** As whom it goes on; those of an older bridge do not say. */
  principal: ToldPrincipal.optional().catch(undefined),
})

const Reply = z.union([
  z.object({ details: z.custom<TaskStateResult>(isRecord) }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ unknown: z.literal(true) }),
])

/** Reaches the bridge that runs a task, wherever it is on the engine. */
export interface TaskOwners {
  /**
   * @returns what it answers; `away` when it is not there for the moment, `gone` when it is not there any more, `over` when it is there and
   *   runs the task no more
   * @throws RpcError with which it refuses; what the engine says when it does not answer
   */
  ask(row: TaskRow, request: TaskRequest, principal: Principal): Promise<TaskStateResult | 'away' | 'gone' | 'over'>
}

export interface TaskOwnersOptions {
  readonly worker: Pick<Worker, 'trigger' | 'registerFunction'>
  /** The prefix of this process. */
  readonly via: string
  readonly timeoutMs: number
  readonly absences: Absences
  readonly find: (id: string) => RunningTask | undefined
  /** Does it, for a task of our own. */
  readonly perform: (
    task: RunningTask,
    request: TaskRequest,
    principal: Principal | undefined,
  ) => Promise<TaskStateResult>
}

export function serveTaskOwners({ worker, via, timeoutMs, absences, find, perform }: TaskOwnersOptions): TaskOwners {
  const toId = (prefix: string) => `${prefix}::tasks`
  worker.registerFunction(
    toId(via),
    async (request: TaskRequest) => {
      const task = find(request.task_id)
      if (task === undefined) return { unknown: true }
      try {
        return { details: await perform(task, request, readToldPrincipal(request.principal)) }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        return { error: { code: error.code, message: error.message } }
      }
    },
    {
      description: 'Asks this bridge about a task that it runs.',
      request_format: TaskRequest,
      // Another version of the bridge may ask with more.
      unknownKeys: 'ignore',
    },
  )
  return {
    async ask(row, request, principal) {
      const functionId = toId(row.via)
      const payload = { ...request, principal: tellPrincipal(principal) }
      try {
        const reply = Reply.parse(await worker.trigger({ function_id: functionId, payload, timeoutMs }))
        absences.found(row.via)
        if ('details' in reply) return reply.details
        if ('error' in reply) throw new RpcError(reply.error.code, reply.error.message)
        return 'over'
      } catch (error) {
        if (!isAbsent(error, functionId)) throw error
        return absences.isTooLong(row.via) ? 'gone' : 'away'
      }
    },
  }
}
