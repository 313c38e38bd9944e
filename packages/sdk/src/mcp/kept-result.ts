import type { McpSidecar, TaskResult } from '@iii/protocol'
import { unwatched } from '../engine/call-context.ts'
import { createStateScope } from '../state/state-scope.ts'
import type { Worker } from '../worker/worker.ts'

const WITHIN_MS = 5_000
/** An engine that is away for a minute is not waited for. */
const MAX_TRIES = 12

/**
 * Writes what came of a task where its bridge, or the next one, finds it; once more when the engine went away meanwhile, since whoever asked has
 * lost the answer then and nothing else says how it ended. That it cannot be written is no failure of the function: its answer is still on its
 * way to the bridge that asked.
 */
export async function keepResult(
  worker: Pick<Worker, 'trigger' | 'log' | 'state'>,
  task: NonNullable<McpSidecar['task']>,
  result: TaskResult,
): Promise<void> {
  const rows = createStateScope<TaskResult>(worker, task.scope, { timeoutMs: WITHIN_MS })
  for (let tries = 1; ; tries++) {
    try {
      await unwatched(() => rows.set(task.id, result))
      return
    } catch (error) {
      if (worker.state === 'connecting' && tries < MAX_TRIES) continue
      worker.log.warn({ task: task.id, reason: String(error) }, 'the result of a task was not written down')
      return
    }
  }
}
