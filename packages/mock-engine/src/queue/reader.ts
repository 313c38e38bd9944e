import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueSettings } from './queue-settings.ts'
import type { Mailbox, Message } from './subscriber-queue.ts'

/** Hands a message over. @returns what went wrong. */
export type Handle = (message: Message) => Promise<string | undefined>

/**
 * Looks into a mailbox every so often, counted from now on, and hands over what is there. While the mailbox is empty it
 * does not look: nobody could tell.
 *
 * @param pollMs - the time between two looks.
 * @returns a function that ends it; what was handed over goes on, but in strict order its outcome is lost.
 */
export function startReader(box: Mailbox, settings: QueueSettings, pollMs: number, handle: Handle): () => void {
  let tick = Date.now() + (box.empty ? pollMs : 0)
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const look = createLook(box, settings, handle, () => ended)

  function wait(): void {
    if (timer || ended || box.empty) return
    timer = setTimeout(() => void turn(), Math.max(0, tick - Date.now()))
  }

  async function turn(): Promise<void> {
    await look()
    timer = undefined
    tick += pollMs
    wait()
  }

  /** Looks that were missed while the mailbox was empty came to nothing. */
  function notice(): void {
    if (timer) return
    const missed = Math.ceil((Date.now() - tick) / pollMs)
    tick += Math.max(0, missed) * pollMs
    wait()
  }

  const unwatch = box.watch(notice)
  wait()
  return () => {
    ended = true
    clearTimeout(timer)
    unwatch()
  }
}

/** One look into the mailbox; a promise holds the next one back. */
function createLook(
  box: Mailbox,
  { inOrder, concurrency }: QueueSettings,
  handle: Handle,
  ended: () => boolean,
): () => Promise<void> | undefined {
  if (!inOrder) return lookForMany(box, concurrency, handle)
  return concurrency > 1 ? lookForNext(box, handle) : lookStrictly(box, handle, ended)
}

/** Takes as many as may be under way at once; one too many goes back. */
function lookForMany(box: Mailbox, concurrency: number, handle: Handle): () => undefined {
  let running = 0

  async function deliver(message: Message): Promise<void> {
    running++
    const error = await handle(message)
    running--
    if (error === undefined) return box.done(message)
    const delayMs = box.failed(message, error)
    if (delayMs !== undefined) box.delay(message, delayMs)
  }

  return () => {
    for (let message = box.take(); message; message = box.take()) {
      if (running >= concurrency) {
        box.putBack(message)
        return undefined
      }
      void deliver(message)
    }
    return undefined
  }
}

/** Takes the next one when the last is done for. */
function lookForNext(box: Mailbox, handle: Handle): () => undefined {
  let busy = false
  return () => {
    const message = busy ? undefined : box.take()
    if (!message) return undefined
    busy = true
    void persist(box, message, handle, () => false).then(() => {
      busy = false
    })
    return undefined
  }
}

/** Does not even look while one is under way; when the reader ends, that one is nobody's any more. */
function lookStrictly(box: Mailbox, handle: Handle, ended: () => boolean): () => Promise<void> | undefined {
  return () => {
    const message = box.take()
    return message && persist(box, message, handle, ended)
  }
}

/** Tries until it succeeds or is given up. */
async function persist(box: Mailbox, message: Message, handle: Handle, ended: () => boolean): Promise<void> {
  for (;;) {
    const error = await handle(message)
    if (ended()) return
    if (error === undefined) return box.done(message)
    const delayMs = box.failed(message, error)
    if (delayMs === undefined) return
    await sleep(delayMs, undefined, { ref: false })
    if (ended()) return
  }
}
