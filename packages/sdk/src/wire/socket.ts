import type { Writable } from 'node:stream'
import { isLoopback } from '../engine/url.ts'
import { type Outgoing, toMessageText } from './outgoing.ts'
import { toTextFrames } from './text-frames.ts'

interface Masking {
  /** @default random bytes */
  readonly generateMask?: (mask: Buffer) => void
}

/**
 * How messages to an engine are masked. A mask keeps whatever lies between client and server from taking a message for something else
 * (RFC 6455, 10.3). Within a machine nothing lies there, and a mask of zeros saves what masking costs: as much as the rest of sending.
 */
export function toMasking(url: string): Masking {
  return isLoopback(new URL(url).hostname) ? { generateMask: (mask) => mask.fill(0) } : {}
}

/**
 * The way out to an engine: what the messages of one read set off goes in one write, unless that takes its time. Where nothing else is under way, it
 * goes at once: nothing would join it, and its receiver waits.
 */
export interface Outlet {
  /** What waits for its turn to end: bytes, and characters of texts. */
  readonly waiting: number
  /**
   * What lies below a new connection; what still waits for another one has no receiver any more.
   *
   * @param isOpen whether neither side has begun to close it: nothing follows a Close frame (RFC 6455, 5.5.1)
   */
  setStream(stream: Writable | SendText, isOpen: () => boolean): void
  /** Something is about to be read. */
  onRead(): void
  send(message: Outgoing): void
  /** Sends several messages at the price of one. */
  sendTogether(messages: readonly Outgoing[]): void
  /** Sends everything that waits, now. */
  flush(): void
}

/** Sends a text as a message, where the runtime shows no stream below its WebSockets, as Bun does not. */
export type SendText = (text: string) => void

const MAX_WAIT_MS = 1

export interface OutletOptions {
  /** Is told when all that came together was read, and whether nothing was sent meanwhile. */
  onOver(isQuiet: boolean): void
  /** Which messages of the engine are to come soon. */
  expectation(): Expectation
}

export function createOutlet({ generateMask }: Masking, { onOver, expectation }: OutletOptions): Outlet {
  const isMasked = generateMask === undefined
  let stream: Writable | SendText | undefined
  let isStreamOpen = () => false
  let messages: Outgoing[] = []
  let waiting = 0
  let sent = false
  let readAt: number | undefined

  function flush(): void {
    if (messages.length === 0) return
    const batch = messages
    messages = []
    waiting = 0
    if (!isStreamOpen()) return
    if (typeof stream === 'function') for (const message of batch) stream(toMessageText(message))
    else if (stream?.writable) writeTogether(stream, toTextFrames(batch, isMasked))
  }

  function add(message: Outgoing): void {
    messages.push(message)
    waiting += message.length
  }

  function flushInTime(): void {
    sent = true
    if (readAt !== undefined) {
      if (expectation() === 'more' && performance.now() - readAt <= MAX_WAIT_MS) return
      readAt = performance.now()
    }
    flush()
  }

  function onTurnOver(): void {
    readAt = undefined
    flush()
    onOver(!sent)
  }

  return {
    get waiting() {
      return waiting
    },
    setStream(next, isOpen) {
      stream = next
      isStreamOpen = isOpen
      messages = []
      waiting = 0
    },
    onRead() {
      if (readAt !== undefined) return
      readAt = performance.now()
      sent = false
      setImmediate(onTurnOver)
    },
    send(message) {
      add(message)
      flushInTime()
    },
    sendTogether(several) {
      for (const message of several) add(message)
      flushInTime()
    },
    flush,
  }
}

function writeTogether(stream: Writable, parts: readonly (Buffer | string)[]): void {
  if (parts.length > 1) stream.cork()
  for (const part of parts) stream.write(part, 'latin1')
  if (parts.length > 1) stream.uncork()
}

/** What the worker expects of the engine: more messages at once, more after its own next reply, or none. */
export type Expectation = 'nothing' | 'after-reply' | 'more'

/**
 * Tells the engine that its message has come. It holds a small message back until the one before is acknowledged, and the kernel delays
 * bare acknowledgements by 40 ms. Whatever we write carries one, so when nothing was written since the last read and more is expected,
 * an unsolicited pong (which the engine ignores) does. The reply of the only call that runs mostly comes sooner than a pong would pay.
 */
export interface Acknowledgement {
  onQuietRead(expectation: Expectation): void
  /** Something was written, which carries the acknowledgement. */
  onWrite(): void
}

const REPLY_WITHIN_MS = 1

export function createAcknowledgement(pong: () => void): Acknowledgement {
  let timer: NodeJS.Timeout | undefined

  function onWrite(): void {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    onQuietRead(expectation) {
      if (expectation === 'more') {
        onWrite()
        pong()
      }
      if (expectation !== 'after-reply') return
      timer ??= setTimeout(() => {
        timer = undefined
        pong()
      }, REPLY_WITHIN_MS)
    },
    onWrite,
  }
}
