import { MCP_CHANGED, McpChange } from '@iii/protocol'
import { TriggerAction } from '../engine/call.ts'
import { unwatched } from '../engine/call-context.ts'
import { formatIssues } from '../schema/issue-text.ts'
import { requireWorker } from '../suggestions/mistyped.ts'
import type { Worker } from '../worker/worker.ts'

/**
 * Tells the MCP clients of every bridge on the engine that a list or a resource is not what it was, so that they read it again. Nobody is
 * waited for and nothing is promised: without a bridge nobody hears of it, and of what is no change the log tells. Tools that
 * come and go with their functions are noticed anyway.
 *
 * @example
 * announceChange(worker, { kind: 'resource', uri: 'orders://today' })
 */
export function announceChange(worker: Pick<Worker, 'trigger' | 'log'>, change: McpChange): void {
  requireWorker('announceChange', worker, "(worker, { kind: 'tools' })")
  const { error } = McpChange.safeParse(change)
  if (error !== undefined) {
    worker.log.warn(`a change is not announced: ${formatIssues(error.issues, 'change')}`)
    return
  }
  const call = { function_id: MCP_CHANGED, payload: change, action: TriggerAction.Void() }
  unwatched(() => worker.trigger(call)).catch((reason: unknown) => {
    worker.log.debug({ reason: String(reason) }, 'a change was not announced')
  })
}
