import { type ChannelWriter, toFault } from '@iii/sdk'
import type { Line } from '../mcp/exchange.ts'
import { STREAM_HEADERS, toEvent } from './reply.ts'

/** Why a stream is over: this server ended it, its reader went away, its reader did not keep up, or it never stood, so that its reader still waits. */
export type StreamEnd = 'ended' | 'left' | 'behind' | 'unopened'

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
   * @returns false when it never stood, and its reader still waits
   */
  end(patienceMs?: number): Promise<boolean>
  /** Ends it at once, whatever waits. */
  cut(): void
  /** Whether its connection stands; false also means that `onOver` has heard so. */
  readonly opened: Promise<boolean>
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
  /** @param problem what kept it from standing, where that was not this server */
  readonly onOver: (how: StreamEnd, problem?: Error) => void
}

/** A line that readers of events skip. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** A reader that takes so much within the time limit does keep up. */
const PIECE_BYTES = 256 * 1024

export function createEventStream({ writer, headers, timings, onOver }: EventStreamOptions): EventStream {
  let how: StreamEnd = 'left'
  let isOpen = true
  let isCut = false
  let isOver = false

  const alive = setInterval(() => {
    if (queue.flushing === undefined) void send(KEEP_ALIVE)
  }, timings.keepAliveMs)
  // The engine sends the head with the first bytes; a status that is not named is 200.
  const head = isDone(writer.sendMessage({ type: 'set_headers', headers: { ...STREAM_HEADERS, ...headers } }))
  let problem: Error | undefined
  const stands = writer.opened.then(
    () => true,
    (error: Error) => {
      if (!isCut) problem = error
      return toFault(error).code === 'not_found'
    },
  )
  const over = Promise.all([writer.closed, stands]).then(([, hasStood]) => {
    isOpen = false
    isOver = true
    clearInterval(alive)
    queue.clear()
    onOver(hasStood ? how : 'unopened', problem)
  })
  const opened = stands.then((hasStood) => hasStood || over.then(() => false))
  const queue = createQueue(
    opened.then((isOpened) => isOpened && head),
    async (piece) => {
      const stalled = setTimeout(() => cut('behind'), timings.stallMs)
      await writer.write(piece).finally(() => clearTimeout(stalled))
    },
  )

  function send(frames: string): Promise<boolean> {
    if (!isOpen) return Promise.resolve(false)
    if (queue.length > timings.queueBytes) {
      cut('behind')
      return Promise.resolve(false)
    }
    return queue.add(frames)
  }

  function cut(reason: StreamEnd): void {
    if (isOver) return
    isOpen = false
    isCut = true
    how = reason
    writer.terminate()
  }

  return {
    opened,
    over,
    get isOpen() {
      return isOpen
    },
    send,
    async end(patienceMs = timings.stallMs) {
      if (isOpen) {
        isOpen = false
        how = 'ended'
        clearInterval(alive)
        await queue.flushing
        await writer.close(patienceMs)
      }
      await over
      return opened
    },
    cut: () => cut('ended'),
  }
}

/**
 * What waits for its reader, all of it sent together.
 *
 * @param ready false where nothing can be sent
 */
function createQueue(ready: Promise<boolean>, write: (piece: Uint8Array) => Promise<void>) {
  let waiting: string[] = []
  let length = 0
  let flushing: Promise<boolean> | undefined

  async function flush(): Promise<boolean> {
    try {
      if (!(await ready)) return false
      while (waiting.length > 0) {
        const bytes = Buffer.from(waiting.join(''))
        waiting = []
        length = 0
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) await write(bytes.subarray(at, at + PIECE_BYTES))
      }
      return true
    } catch {
      return false
    } finally {
      flushing = undefined
    }
  }

  return {
    get length() {
      return length
    },
    get flushing() {
      return flushing
    },
    add(frames: string): Promise<boolean> {
      waiting.push(frames)
      length += frames.length
      flushing ??= flush()
      return flushing
    },
    clear() {
      waiting = []
    },
  }
}

function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

/**
 * Opens a response.
 *
 * @param onOver is told when it is over
 * @param instead the response that it goes on with, whose place it takes
 * @returns undefined when too many are open
 */
export type OpenStream = (onOver: (how: StreamEnd) => void, instead?: EventStream) => EventStream | undefined

/** A line that is one response and nothing more: when that is over, so is the line. */
export function toLine(stream: EventStream): Line {
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
