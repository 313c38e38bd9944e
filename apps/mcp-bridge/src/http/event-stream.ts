import type { ChannelWriter } from '@iii/sdk'
import type { Line } from '../mcp/exchange.ts'
import { STREAM_HEADERS, toEvent } from './reply.ts'

/** Why a stream is over: this server ended it, its reader went away, or its reader did not keep up. */
export type StreamEnd = 'ended' | 'left' | 'behind'

/** The body of one HTTP response, as server-sent events. */
export interface EventStream {
  readonly isOpen: boolean
  /**
   * Queues frames. What is queued before the connection stands goes out in one write, together with the head.
   *
   * @returns true once there is room for more, false when nobody reads any more
   */
  send(frames: string): Promise<boolean>
  /**
   * Ends the response after what was sent. Resolves when it is over.
   *
   * @param patienceMs how long its reader may take once everything has left this process, which also a connection that does not stand
   * yet is waited for; by default as long as any reader that stays behind
   */
  end(patienceMs?: number): Promise<void>
  /** Ends it at once, whatever waits. */
  cut(): void
  /** Resolves when it is over, whoever ended it. */
  readonly over: Promise<void>
}

export interface StreamTimings {
  /** How often a comment goes out. It keeps the connection alive, and shows that the reader has left. */
  readonly keepAliveMs: number
  /** How long a reader may leave what was sent unread. */
  readonly stallMs: number
  /** How much may wait for it. */
  readonly queueBytes: number
}

export interface EventStreamOptions {
  readonly writer: ChannelWriter
  /** Beside those that every event stream has. */
  readonly headers: Readonly<Record<string, string>>
  readonly timings: StreamTimings
  readonly onOver: (how: StreamEnd) => void
}

/** A line that readers of events skip. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** A reader that takes so much within the time limit does keep up. */
const PIECE_BYTES = 256 * 1024

export function createEventStream({ writer, headers, timings, onOver }: EventStreamOptions): EventStream {
  let queue: string[] = []
  let queued = 0
  let flushing: Promise<boolean> | undefined
  let how: StreamEnd = 'left'
  let isOpen = true
  let isOver = false

  const alive = setInterval(() => {
    if (flushing === undefined) void send(KEEP_ALIVE)
  }, timings.keepAliveMs)
  // The engine sends the head with the first bytes; a status that is not named is 200.
  const head = writer.sendMessage({ type: 'set_headers', headers: { ...STREAM_HEADERS, ...headers } })
  head.catch(() => undefined)
  void writer.closed.then(() => {
    isOpen = false
    isOver = true
    clearInterval(alive)
    queue = []
    onOver(how)
  })

  function send(frames: string): Promise<boolean> {
    if (!isOpen) return Promise.resolve(false)
    if (queued > timings.queueBytes) {
      cut('behind')
      return Promise.resolve(false)
    }
    queue.push(frames)
    queued += frames.length
    flushing ??= flush()
    return flushing
  }

  async function flush(): Promise<boolean> {
    try {
      await head
      while (queue.length > 0) {
        const bytes = Buffer.from(queue.join(''))
        queue = []
        queued = 0
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) await write(bytes.subarray(at, at + PIECE_BYTES))
      }
      return true
    } catch {
      return false
    } finally {
      flushing = undefined
    }
  }

  async function write(piece: Uint8Array): Promise<void> {
    const stalled = setTimeout(() => cut('behind'), timings.stallMs)
    try {
      await writer.write(piece)
    } finally {
      clearTimeout(stalled)
    }
  }

  function cut(reason: StreamEnd): void {
    if (isOver) return
    isOpen = false
    how = reason
    writer.terminate()
  }

  return {
    over: writer.closed,
    get isOpen() {
      return isOpen
    },
    send,
    async end(patienceMs = timings.stallMs) {
      if (isOpen) {
        isOpen = false
        how = 'ended'
        clearInterval(alive)
        await flushing
        await writer.close(patienceMs)
      }
      await writer.closed
    },
    cut: () => cut('ended'),
  }
}

/**
 * Opens a response.
 *
 * @param onOver is told when it is over
 * @param instead the response that it goes on with, whose place it takes
 * @returns undefined when too many are open
 */
export type OpenStream = (onOver: () => void, instead?: EventStream) => EventStream | undefined

/** A line that is one response and nothing more: when that is over, so is the line. */
export function openLine(open: OpenStream, onOver: () => void): Line | undefined {
  const stream = open(onOver)
  if (stream === undefined) return undefined
  return {
    send: (message) => stream.send(toEvent(message)),
    comment: () => void stream.send(KEEP_ALIVE),
    pause: () => Promise.resolve(false),
    end(message) {
      if (message !== undefined) void stream.send(toEvent(message))
      return stream.end()
    },
  }
}
