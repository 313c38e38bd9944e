import { currentTrace, type Trace, withTrace } from '../engine/call-context.ts'
import { InvocationError } from '../engine/invocation-error.ts'
import { messageOf } from '../engine/message-of.ts'
import type { Logger } from '../log.ts'
import { pause } from '../pause.ts'
import type { Binding } from '../worker/trigger-types.ts'
import type { Worker } from '../worker/worker.ts'
import { type ChangeRules, createChangeQueue } from './queue.ts'

export interface ChangeDeliveryOptions<Change> extends ChangeRules<Change> {
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

/** A change, and the trace of the call that made it. */
interface Waiting<Change> {
  change: Change
  trace: Trace | undefined
}

const MAX_TRIES = 4

export function createFeedSubscriber<Change>(
  worker: Worker,
  first: Binding,
  { keyOf, merge, timeoutMs, maxWaiting, retryMs, log }: ChangeDeliveryOptions<Change>,
): FeedSubscriber<Change> {
  const queue = createChangeQueue<Waiting<Change>>(maxWaiting, {
    keyOf: ({ change }) => keyOf(change),
    merge: (earlier, later) => ({ ...later, change: merge(earlier.change, later.change) }),
  })
  const stopped = new AbortController()
  let binding = first
  let delivering = false
  let failing = false

  async function tell({ change, trace }: Waiting<Change>): Promise<boolean> {
    const { function_id, namespace, metadata } = binding
    const call = { function_id, namespace, payload: change, metadata, timeoutMs, signal: stopped.signal }
    try {
      // Whoever made the first of many changes started the loop; each change goes on in the trace of its own.
      await withTrace(trace ?? {}, () => worker.trigger(call))
      if (failing) log.info({ function_id }, 'the subscriber takes changes again')
      failing = false
      return true
    } catch (error) {
      if (!stopped.signal.aborted && worker.state !== 'closed') warnOnce(function_id, error)
      return !isAway(error)
    }
  }

  /** One line for all changes in a row that are not taken: there may be thousands. */
  function warnOnce(function_id: string, error: unknown): void {
    const reason = messageOf(error)
    log[failing ? 'debug' : 'warn']({ function_id, reason }, 'a subscriber did not take a change')
    failing = true
  }

  async function tellUntilTaken(change: Waiting<Change>): Promise<void> {
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
      queue.add({ change, trace: currentTrace() })
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
