import type { Worker } from '@iii/sdk'
import { z } from 'zod'
import { RunId } from '../record/run-record.ts'

/** The function that is on the engine as long as this process: it says that the process lives, and hears what to cancel. */
export interface LockHolder {
  readonly id: string
  /** Puts the function on the engine, once. */
  serve(): void
  /** A run begins in this process. @returns how to say that it is over */
  enter(runId: string, cancel: () => void): () => void
  /** @returns whether a run of this process was told to end */
  cancel(runId: string): boolean
}

const PREFIX = 'runs::holder-'

/** One for each worker, whatever it runs. */
export function createHolder(worker: Worker): LockHolder {
  const id = PREFIX + worker.instance
  const running = new Map<string, () => void>()

  function cancel(runId: string): boolean {
    running.get(runId)?.()
    return running.has(runId)
  }

  return {
    id,
    cancel,
    serve() {
      if (worker.functionIds.includes(id)) return
      worker.registerFunction(
        id,
        (request) => {
          const cancelled = request.cancel === undefined ? undefined : cancel(request.cancel)
          return { running: [...running.keys()], ...(cancelled === undefined ? {} : { cancelled }) }
        },
        {
          description: 'Tells which runs a process of the worker runs has under way, and cancels one.',
          request_format: z.object({ cancel: RunId.optional() }),
          response_format: z.object({ running: z.array(z.string()), cancelled: z.boolean().optional() }),
          // Another version of the worker may ask with more.
          unknownKeys: 'ignore',
          metadata: { internal: true, 'mcp.expose': false },
        },
      )
    },
    enter(runId, onCancel) {
      running.set(runId, onCancel)
      return () => void running.delete(runId)
    },
  }
}

/** Whether an id is that of a holder: what stands in a row is asked this before it is called. */
export function isHolderId(id: string): boolean {
  return id.startsWith(PREFIX)
}
