import type { McpSidecar, TaskResult } from '@iii/protocol'
import { unwatched } from '../engine/call-context.ts'
import { createStateScope } from '../state/state-scope.ts'
import type { Worker } from '../worker/worker.ts'

const WITHIN_MS = 5_000
/** An engine that is away for a minute is not waited for. */
const MAX_TRIES = 12

/** An engine that went away so soon may have forgotten what it had taken, and the answer has not reached who asked. */
const UNSURE_MS = 2_000

type Engine = Pick<Worker, 'trigger' | 'log' | 'state' | 'onStateChange'>

/**
 * Writes what came of a task where its bridge, or the next one, finds it; once more when the engine went away meanwhile, or just after, since
 * whoever asked has lost the answer then and nothing else says how it ended. That it cannot be written is no failure of the function: its
 * answer is still on its way to the bridge that asked.
 */
export async function keepResult(
  worker: Engine,
  task: NonNullable<McpSidecar['task']>,
  result: TaskResult,
): Promise<void> {
  const rows = createStateScope<TaskResult>(worker, task.scope, { timeoutMs: WITHIN_MS })
  const write = () => unwatched(() => rows.set(task.id, result))
  if (await tryToWrite(worker, task.id, write)) onceCut(worker, () => void tryToWrite(worker, task.id, write))
}

async function tryToWrite(worker: Engine, task: string, write: () => Promise<unknown>): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await write()
      return true
    } catch (error) {
      if (worker.state === 'connecting' && tries < MAX_TRIES) continue
      worker.log.warn({ task, reason: String(error) }, 'the result of a task was not written down')
      return false
    }
  }
}

function onceCut(worker: Engine, act: () => void): void {
  const end = () => {
    clearTimeout(timer)
    stop()
  }
  const timer = setTimeout(end, UNSURE_MS)
  timer.unref()
  const stop = worker.onStateChange((state) => {
    end()
    if (state === 'connecting') act()
  })
}
