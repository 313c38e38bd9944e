/** Where replies go: the connection with the number `epoch`, or nowhere when there is another one by now. */
export type ReplySender = (texts: readonly string[], epoch: number) => void

export interface Replies {
  /**
   * Sends the reply to a call that arrived at `arrivedAt` (`performance.now()`) on connection `epoch`.
   *
   * Engine 0.22.1 hands a call over before it has noted who waits for the answer, and drops an answer that comes back
   * within that window. So a small reply that was ready at once is said twice (the engine ignores the second), and a
   * large one, which would be costly to repeat, is held back for a moment.
   */
  send(text: string, arrivedAt: number, epoch: number): void
  /** Sends everything that still waits, now. */
  flush(): void
}

const FAST_MS = 5
const REPEAT_AFTER_MS = 20
const REPEAT_EVERY_MS = 5
const MAX_REPEATED_LENGTH = 8 * 1024
const HOLD_MS = 1

interface Waiting {
  text: string
  epoch: number
  dueAt: number
}

export function createReplies(send: ReplySender): Replies {
  const repeats = createTimedQueue(send, REPEAT_EVERY_MS)
  const held = createTimedQueue(send, HOLD_MS)
  return {
    send(text, arrivedAt, epoch) {
      const now = performance.now()
      const isSmall = text.length <= MAX_REPEATED_LENGTH
      if (!isSmall && now - arrivedAt < HOLD_MS) {
        held.add({ text, epoch, dueAt: arrivedAt + HOLD_MS })
        return
      }
      send([text], epoch)
      if (isSmall && now - arrivedAt <= FAST_MS) repeats.add({ text, epoch, dueAt: now + REPEAT_AFTER_MS })
    },
    flush() {
      held.flush()
      repeats.flush()
    },
  }
}

/** Sends in the order of adding, each when it is due, with one timer for all. */
function createTimedQueue(send: ReplySender, everyMs: number) {
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  function sendFirst(count: number): void {
    const due = waiting.slice(0, count)
    waiting = waiting.slice(count)
    const epoch = due.at(-1)?.epoch ?? 0
    // What belongs to an older connection has no receiver any more.
    const texts = due.filter((entry) => entry.epoch === epoch).map(({ text }) => text)
    if (texts.length > 0) send(texts, epoch)
  }

  function sendDue(): void {
    const now = performance.now()
    const later = waiting.findIndex(({ dueAt }) => dueAt > now)
    sendFirst(later === -1 ? waiting.length : later)
    timer = waiting.length === 0 ? undefined : setTimeout(sendDue, everyMs)
  }

  return {
    add(entry: Waiting): void {
      waiting.push(entry)
      timer ??= setTimeout(sendDue, Math.max(1, entry.dueAt - performance.now()))
    },
    flush(): void {
      clearTimeout(timer)
      timer = undefined
      sendFirst(waiting.length)
    },
  }
}
