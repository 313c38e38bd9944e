import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueSettings } from './queue-settings.ts'
import type { QueuedMessage, SubscriberQueue } from './subscriber-queue.ts'

/** Hands a message over. @returns what went wrong. */
export type Handle = (message: QueuedMessage) => Promise<string | undefined>

/**
 * Looks into a queue every so often, counted from now on, and hands over what is there. While the queue is empty it
 * does not look, which makes no difference.
 *
 * @param pollMs - the time between two looks.
 * @returns a function that ends it; what was handed over goes on, but in strict order its outcome is lost.
 */
export function startConsumer(
  queue: SubscriberQueue,
  settings: QueueSettings,
  pollMs: number,
  handle: Handle,
): () => void {
  let tick = Date.now() + (queue.empty ? pollMs : 0)
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const poll = createPoll(queue, settings, handle, () => ended)

  function wait(): void {
    if (timer || ended || queue.empty) return
    timer = setTimeout(() => void turn(), Math.max(0, tick - Date.now()))
  }

  async function turn(): Promise<void> {
    await poll()
    timer = undefined
    tick += pollMs
    wait()
  }

  /** Looks that were missed while the queue was empty came to nothing. */
  function notice(): void {
    if (timer) return
    const missed = Math.ceil((Date.now() - tick) / pollMs)
    tick += Math.max(0, missed) * pollMs
    wait()
  }

  const unwatch = queue.watch(notice)
  wait()
  return () => {
    ended = true
    clearTimeout(timer)
    unwatch()
  }
}

/** One look into the queue; a promise holds the next one back. */
function createPoll(
  queue: SubscriberQueue,
  { inOrder, concurrency }: QueueSettings,
  handle: Handle,
  ended: () => boolean,
): () => Promise<void> | undefined {
  if (!inOrder) return pollConcurrently(queue, concurrency, handle)
  return concurrency > 1 ? pollInOrder(queue, handle) : pollInStrictOrder(queue, handle, ended)
}

/** Takes as many as may be under way at once; one too many goes back. */
function pollConcurrently(queue: SubscriberQueue, concurrency: number, handle: Handle): () => undefined {
  let running = 0

  async function deliver(message: QueuedMessage): Promise<void> {
    running++
    const error = await handle(message)
    running--
    if (error === undefined) return queue.done(message)
    const delayMs = queue.failed(message, error)
    if (delayMs !== undefined) queue.delay(message, delayMs)
  }

  return () => {
    for (let message = queue.take(); message; message = queue.take()) {
      if (running >= concurrency) {
        queue.putBack(message)
        return undefined
      }
      void deliver(message)
    }
    return undefined
  }
}

/** Takes the next one when the last is done for. */
function pollInOrder(queue: SubscriberQueue, handle: Handle): () => undefined {
  let busy = false
  return () => {
    const message = busy ? undefined : queue.take()
    if (!message) return undefined
    busy = true
    void persist(queue, message, handle, () => false).then(() => {
      busy = false
    })
    return undefined
  }
}

/** Does not even look while one is under way; when the consumer ends, its outcome is lost. */
function pollInStrictOrder(
  queue: SubscriberQueue,
  handle: Handle,
  ended: () => boolean,
): () => Promise<void> | undefined {
  return () => {
    const message = queue.take()
    return message && persist(queue, message, handle, ended)
  }
}

/** Tries until it succeeds or is given up. */
async function persist(
  queue: SubscriberQueue,
  message: QueuedMessage,
  handle: Handle,
  ended: () => boolean,
): Promise<void> {
  for (;;) {
    const error = await handle(message)
    if (ended()) return
    if (error === undefined) return queue.done(message)
    const delayMs = queue.failed(message, error)
    if (delayMs === undefined) return
    await sleep(delayMs, undefined, { ref: false })
    if (ended()) return
  }
}
