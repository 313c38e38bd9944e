import { CANCEL_DESK_PREFIX, Fault } from '@iii/protocol'
import { z } from 'zod'
import type { Worker } from '../worker/worker.ts'

/** Where a bridge says that a call was cancelled: one function for all functions of a worker that speak MCP. */
export interface CancelDesk {
  /** Id of that function, for `mcp.cancel`. */
  readonly id: string
  /** Puts the function on the engine. */
  serve(): void
  /** A call begins, or another run of it; `cancel` is called at once when it was cancelled before. Returns how to say that it is over. */
  enter(callId: string, cancel: Cancel): () => void
}

type Cancel = (reason: Error) => void

/** Calls overtake each other, so a cancellation may come before its call. */
const MAX_EARLY = 256

const desks = new WeakMap<Worker, CancelDesk>()

/** The one of this worker. */
export function cancelDeskOf(worker: Worker): CancelDesk {
  const known = desks.get(worker)
  if (known !== undefined) return known
  const desk = createCancelDesk(worker)
  desks.set(worker, desk)
  return desk
}

function createCancelDesk(worker: Worker): CancelDesk {
  const id = CANCEL_DESK_PREFIX + worker.instance
  // One call may run several functions at once: a document with live sections.
  const running = new Map<string, Set<Cancel>>()
  const early = new Map<string, Error>()
  let isServed = false

  function cancel(callId: string, reason: Error): void {
    const cancels = running.get(callId)
    if (cancels !== undefined) for (const each of [...cancels]) each(reason)
    early.delete(callId)
    early.set(callId, reason)
    for (const oldest of early.keys()) if (early.size > MAX_EARLY) early.delete(oldest)
  }

  return {
    id,
    serve() {
      if (isServed) return
      isServed = true
      worker.registerFunction(
        id,
        ({ call_id, reason }) => {
          cancel(call_id, toReason(reason))
          return {}
        },
        {
          description: 'Hears from bridges that a client has cancelled a call of this process.',
          request_format: z.object({ call_id: z.string().min(1), reason: z.string().optional() }),
          response_format: z.object({}),
          // A newer bridge may say more.
          unknownKeys: 'ignore',
          metadata: { internal: true, 'mcp.expose': false },
        },
      )
    },
    enter(callId, onCancel) {
      const cancels = running.get(callId) ?? new Set()
      running.set(callId, cancels.add(onCancel))
      const reason = early.get(callId)
      if (reason !== undefined) onCancel(reason)
      return () => {
        cancels.delete(onCancel)
        if (cancels.size === 0) running.delete(callId)
      }
    },
  }
}

function toReason(reason: string | undefined): Error {
  if (reason === 'deadline') return new Fault('deadline', 'The bridge does not wait for the call any longer')
  // The name by which Node and browsers know it.
  return new DOMException('The client has cancelled the call', 'AbortError')
}
