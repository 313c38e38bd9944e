import type { McpSidecar, TaskResult } from '@iii/protocol'
import { unwatched } from '../engine/call-context.ts'
import { createStateScope } from '../state/state-scope.ts'
import type { Worker } from '../worker/worker.ts'

const WITHIN_MS = 5_000

/**
 * Writes what came of a task where its bridge, or the next one, finds it. That it cannot be written is no failure of the function: its
 * answer is still on its way to the bridge that asked.
 */
export async function keepResult(
  worker: Pick<Worker, 'trigger' | 'log'>,
  task: NonNullable<McpSidecar['task']>,
  result: TaskResult,
): Promise<void> {
  const rows = createStateScope<TaskResult>(worker, task.scope, { timeoutMs: WITHIN_MS })
  try {
    await unwatched(() => rows.set(task.id, result))
  } catch (error) {
    worker.log.warn({ task: task.id, reason: String(error) }, 'the result of a task was not written down')
  }
}
