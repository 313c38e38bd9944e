import { InvocationError } from '../invocation-error.ts'
import type { Logger } from '../log.ts'
import { pause } from '../pause.ts'
import type { Binding } from '../worker/trigger-types.ts'
import type { Worker } from '../worker/worker.ts'
import { createChangeQueue } from './queue.ts'

export interface DeliveryOptions<Change> {
  keyOf(change: Change): string
  timeoutMs: number
  maxWaiting: number
  retryMs: number
  log: Logger
}

/** One binding of a feed with the changes that it has not seen yet. */
export interface FeedSubscriber<Change> {
  add(change: Change): void
  /** The engine repeats bindings; the last word counts. */
  rebind(binding: Binding): void
  /** Goes on delivering, when something waits and there is a connection. */
  deliver(): void
  stop(): void
}

const MAX_TRIES = 4

export function createFeedSubscriber<Change>(
  worker: Worker,
  first: Binding,
  { keyOf, timeoutMs, maxWaiting, retryMs, log }: DeliveryOptions<Change>,
): FeedSubscriber<Change> {
  const queue = createChangeQueue(maxWaiting, keyOf)
  const stopped = new AbortController()
  let binding = first
  let delivering = false

  async function tell(change: Change): Promise<boolean> {
    const { function_id, metadata } = binding
    try {
      await worker.trigger({ function_id, payload: change, metadata, timeoutMs, signal: stopped.signal })
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!stopped.signal.aborted && worker.state !== 'closed')
        log.warn({ function_id, reason }, 'a subscriber did not take a change')
      return !isAway(error)
    }
  }

  async function tellUntilTaken(change: Change): Promise<void> {
    for (let tries = 1; !(await tell(change)) && tries < MAX_TRIES; tries++) {
      await pause(retryMs * 2 ** (tries - 1), stopped.signal)
      if (queue.size > 0 || stopped.signal.aborted) return
    }
  }

  async function deliverAll(): Promise<void> {
    while (worker.state === 'connected' && !stopped.signal.aborted) {
      const change = queue.take()
      if (change === undefined) return
      await tellUntilTaken(change)
    }
  }

  function deliver(): void {
    if (delivering) return
    delivering = true
    void deliverAll().finally(() => {
      delivering = false
      if (queue.size > 0 && worker.state === 'connected' && !stopped.signal.aborted) deliver()
    })
  }

  return {
    add(change) {
      queue.add(change)
      deliver()
    },
    rebind(next) {
      binding = next
    },
    deliver,
    stop: () => stopped.abort(),
  }
}

/** Whether the subscriber cannot have seen the change, or may not have; one that failed has seen it. */
function isAway(error: unknown): boolean {
  return !(error instanceof InvocationError && error.code === 'invocation_failed')
}
