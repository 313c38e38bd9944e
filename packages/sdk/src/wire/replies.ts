import type { Outgoing } from './outgoing.ts'

/** Where replies go: the connection with the number `epoch`, or nowhere when there is another one by now. */
export type ReplySender = (messages: readonly Outgoing[], epoch: number) => void

export interface Replies {
  /**
   * Sends the reply to a call that arrived at `arrivedAt` (`performance.now()`) on connection `epoch`.
   *
   * Engine 0.22.1 hands a call over before it has noted who waits for the answer, and drops an answer that comes back
   * within that window, which on a busy machine has no upper bound. So a reply is said at once, and again a little later (the engine
   * ignores the second), unless its call is so old that it has surely been noted. One that is costly to say twice is held back for a moment, and
   * said again only when no other such reply came after it.
   */
  send(message: Outgoing, arrivedAt: number, epoch: number): void
  /** Sends everything that still waits, now. */
  flush(): void
}

/** A call that is so old has been noted: no engine whose thread stands still for longer serves anybody. */
const NOTED_MS = 1_000
const REPEAT_AFTER_MS = 20
const REPEAT_EVERY_MS = 5
/** From here on saying a reply twice costs as much as a call; in UTF-16 units of a text, in bytes of others. */
export const LARGE_LENGTH = 64 * 1024
/** From here on the engine needs longer to read a reply than any call was seen to wait for being noted. */
export const HUGE_LENGTH = 1024 * 1024
/** How old a call is at least when a large reply to it goes out. */
export const HOLD_MS = 1
/** The same where others are answered meanwhile: none of these is said again, and they keep the engine busy for longer than that. */
export const CROWDED_HOLD_MS = 5

interface Waiting {
  readonly message: Outgoing
  readonly epoch: number
  readonly dueAt: number
  /** Which of the large replies it is. */
  readonly nth: number | undefined
}

/** Calls `run` later, and says how to take that back. */
type Wake = (run: () => void, inMs: number) => () => void

export interface ReplyClock {
  /** Milliseconds, with fractions. */
  now(): number
  /** As close as can be: for up to a millisecond by turns of the event loop, since a timer takes longer than it is set to. */
  readonly soon: Wake
}

const CLOCK: ReplyClock = {
  now: () => performance.now(),
  soon(run, inMs) {
    if (inMs > 1) return afterTimer(run, inMs)
    const turn = setImmediate(run)
    return () => clearImmediate(turn)
  },
}

export function createReplies({ send, repeat }: Omit<ReplyGate, 'flush'>, { now, soon }: ReplyClock = CLOCK): Replies {
  let largeReplies = 0
  let largeSentAt = Number.NEGATIVE_INFINITY
  const isWorthwhile = ({ nth }: Waiting) => nth === undefined || nth === largeReplies
  const repeats = createQueue(now, afterRest, (due) => sendLast(due.filter(isWorthwhile), repeat))
  const held = createQueue(now, soon, (due) => {
    largeSentAt = now()
    sendLast(due, send)
  })

  /** For how long a large reply to a call that arrived then is held. */
  function toHold(arrivedAt: number): number {
    return held.length > 0 || largeSentAt > arrivedAt ? CROWDED_HOLD_MS : HOLD_MS
  }

  /** What belongs to an older connection than the last one has no receiver any more. */
  function sendLast(due: readonly Waiting[], by: ReplySender): void {
    const epoch = due.at(-1)?.epoch ?? 0
    const messages = due.filter((entry) => entry.epoch === epoch).map(({ message }) => message)
    if (messages.length > 0) by(messages, epoch)
  }

  return {
    send(message, arrivedAt, epoch) {
      const at = now()
      const ageMs = at - arrivedAt
      const nth = message.length < LARGE_LENGTH ? undefined : ++largeReplies
      const dueAt = nth === undefined ? at : arrivedAt + toHold(arrivedAt)
      if (dueAt > at) held.add({ message, epoch, nth, dueAt })
      else {
        if (nth !== undefined) largeSentAt = at
        send([message], epoch)
      }
      if (ageMs <= NOTED_MS && message.length < HUGE_LENGTH)
        repeats.add({ message, epoch, nth, dueAt: at + REPEAT_AFTER_MS })
    },
    flush() {
      held.flush()
      repeats.flush()
    },
  }
}

const afterTimer: Wake = (run, inMs) => {
  const timer = setTimeout(run, inMs)
  return () => clearTimeout(timer)
}

const afterRest: Wake = (run, inMs) => afterTimer(run, Math.max(REPEAT_EVERY_MS, inMs))

/** Hands out in the order of adding, what is due at once, and wakes only while something waits. */
function createQueue(now: () => number, wake: Wake, take: (due: readonly Waiting[]) => void) {
  let waiting: Waiting[] = []
  let cancel: (() => void) | undefined

  function takeFirst(count: number): void {
    const due = waiting.slice(0, count)
    waiting = waiting.slice(count)
    take(due)
  }

  function takeDue(): void {
    const at = now()
    const later = waiting.findIndex(({ dueAt }) => dueAt > at)
    if (later !== 0) takeFirst(later === -1 ? waiting.length : later)
    const [first] = waiting
    cancel = first && wake(takeDue, first.dueAt - at)
  }

  return {
    get length() {
      return waiting.length
    },
    add(entry: Waiting): void {
      waiting.push(entry)
      cancel ??= wake(takeDue, entry.dueAt - now())
    },
    flush(): void {
      cancel?.()
      cancel = undefined
      takeFirst(waiting.length)
    },
  }
}

/** Lets replies out no faster than the engine reads them, so that calls of our own find room between them. */
export interface ReplyGate {
  /** Sends replies, in their turn: at once when the engine has read what went before. */
  readonly send: ReplySender
  /** The same for replies that were sent before. They are dropped where so much waits that they could cost the connection. */
  readonly repeat: ReplySender
  /** Sends everything that waits, now. */
  flush(): void
}

export interface ReplyGateOptions {
  /** Bytes handed over that the engine has not read yet. */
  bufferedBytes(): number
  /** The number of the connection; undefined while there is none. */
  epoch(): number | undefined
  send(messages: readonly Outgoing[]): void
  /** The engine has stopped reading: everything that waits is forgotten. */
  onStuck(): void
}

interface Blocked {
  messages: readonly Outgoing[]
  epoch: number
}

/** As long as the engine has not read so much, replies wait. Calls are refused at four times as much. */
const ROOM_BYTES = 4 * 1024 * 1024
/** With more than that waiting the engine has stopped reading, or reads too slowly to be of use. Measured as {@link LARGE_LENGTH}. */
const MAX_WAITING = 256 * 1024 * 1024
/** With more than that waiting nothing is said again: the engine has long noted whom it has asked. Measured in the same way. */
const MAX_WAITING_FOR_REPEATS = MAX_WAITING / 2
/** How often to look whether the engine has read on, in milliseconds. */
const LOOK_EVERY_MS = 2

export function createReplyGate({ bufferedBytes, epoch, send, onStuck }: ReplyGateOptions): ReplyGate {
  const waiting: Blocked[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined

  const hasRoom = () => epoch() === undefined || bufferedBytes() <= ROOM_BYTES

  function sendFirst(): void {
    const first = waiting.shift()
    size -= sizeOf(first?.messages ?? [])
    // What belongs to an older connection has no receiver any more.
    if (first && first.epoch === epoch()) send(first.messages)
  }

  function sendWaiting(): void {
    while (waiting.length > 0 && hasRoom()) sendFirst()
    timer = waiting.length === 0 ? undefined : setTimeout(sendWaiting, LOOK_EVERY_MS)
  }

  function sendInTurn(messages: readonly Outgoing[], of: number): void {
    if (of !== epoch()) return
    if (waiting.length === 0 && hasRoom()) {
      send(messages)
      return
    }
    waiting.push({ messages, epoch: of })
    size += sizeOf(messages)
    timer ??= setTimeout(sendWaiting, LOOK_EVERY_MS)
    if (size <= MAX_WAITING) return
    waiting.length = 0
    size = 0
    onStuck()
  }

  return {
    send: sendInTurn,
    repeat(messages, of) {
      if (size + sizeOf(messages) <= MAX_WAITING_FOR_REPEATS) sendInTurn(messages, of)
    },
    flush() {
      clearTimeout(timer)
      timer = undefined
      while (waiting.length > 0) sendFirst()
    },
  }
}

function sizeOf(messages: readonly Outgoing[]): number {
  return messages.reduce((sum, { length }) => sum + length, 0)
}
