import type { Duplex } from 'node:stream'
import { isLoopback } from '../engine/url.ts'

/**
 * How messages to an engine are masked. A mask keeps whatever lies between client and server from taking a message for something else
 * (RFC 6455, 10.3). Within a machine nothing lies there, and a mask of zeros saves what masking costs: as much as the rest of sending.
 */
export function toMasking(url: string): { generateMask?: (mask: Buffer) => void } {
  return isLoopback(new URL(url).hostname) ? { generateMask: (mask) => mask.fill(0) } : {}
}

/** What the messages of one read set off goes out in one write, unless that takes its time. */
export interface Cork {
  /** The stream below the connection, as soon as there is one. */
  setStream(stream: Duplex): void
  /** Something is about to be read. @param onOver is told when all of it was, and whether nothing was written meanwhile */
  onRead(onOver: (isQuiet: boolean) => void): void
  /** Something was written. */
  onWrite(): void
  /** Hands out several messages at the price of one. */
  together(write: () => void): void
}

const MAX_CORK_MS = 1

export function createCork(): Cork {
  let stream: Duplex | undefined
  let wrote = false
  let corkedAt: number | undefined

  return {
    setStream(next) {
      stream = next
    },
    onRead(onOver) {
      if (corkedAt !== undefined) return
      corkedAt = performance.now()
      wrote = false
      const corked = stream
      corked?.cork()
      setImmediate(() => {
        corkedAt = undefined
        corked?.uncork()
        onOver(!wrote)
      })
    },
    onWrite() {
      wrote = true
      if (corkedAt === undefined || performance.now() - corkedAt <= MAX_CORK_MS) return
      corkedAt = performance.now()
      stream?.uncork()
      stream?.cork()
    },
    together(write) {
      stream?.cork()
      write()
      stream?.uncork()
    },
  }
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
