import { type ChannelRef, type ChannelWriter, type Logger, within } from '@iii/sdk'
import { createEventStream, type EventStream, type StreamEnd, type StreamTimings } from './event-stream.ts'

/** The streams that are open at the moment. */
export interface Streams {
  /** @returns undefined when as many are open as this server bears, or as one reader may have */
  open(request: StreamRequest): EventStream | undefined
  /**
   * A reply is under way, on a stream or not yet.
   *
   * @param giveUp called when this server stops before the reply is there
   * @returns to be called when it is there
   */
  expectReply(giveUp: () => void): () => void
  /** How many are open. */
  readonly count: number
  /** Gives replies that are under way a moment, then ends all streams. Resolves when they are over. */
  close(): Promise<void>
}

export interface StreamRequest {
  readonly ref: ChannelRef
  /** Whose it is, for streams that count together. */
  readonly owner?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A reply ends it, also when this server stops. @default false */
  readonly isForReply?: boolean
  readonly onOver: (how: StreamEnd) => void
}

export interface StreamsOptions {
  readonly openWriter: (ref: ChannelRef) => ChannelWriter
  readonly timings: StreamTimings
  readonly atOnce: number
  readonly perOwner: number
  /** How long replies that are under way have when this server stops. */
  readonly graceMs: number
  readonly log: Logger
}

interface OpenStream {
  readonly stream: EventStream
  readonly isForReply: boolean
}

/** How long the ends of streams may take when this server stops; who has not read them by then is cut off. */
const LAST_WORDS_MS = 500

export function createStreams({ openWriter, timings, atOnce, perOwner, graceMs, log }: StreamsOptions): Streams {
  const all = new Set<OpenStream>()
  const owned = new Map<string, number>()
  const expected = new Set<() => void>()
  let onNoneExpected = (): void => undefined
  let isClosed = false
  let isStopping = false

  function isFull(owner: string | undefined): boolean {
    if (isClosed || all.size >= atOnce) return true
    return owner !== undefined && (owned.get(owner) ?? 0) >= perOwner
  }

  function count(owner: string | undefined, change: 1 | -1): void {
    if (owner === undefined) return
    const now = (owned.get(owner) ?? 0) + change
    if (now > 0) owned.set(owner, now)
    else owned.delete(owner)
  }

  function noneExpected(): Promise<void> {
    return new Promise((resolve) => {
      onNoneExpected = resolve
      if (expected.size === 0) resolve()
    })
  }

  return {
    get count() {
      return all.size
    },
    expectReply(giveUp) {
      expected.add(giveUp)
      if (isStopping) giveUp()
      return () => {
        expected.delete(giveUp)
        if (expected.size === 0) onNoneExpected()
      }
    },
    open({ ref, owner, headers = {}, isForReply = false, onOver }) {
      if (isFull(owner)) return undefined
      const stream = createEventStream({
        writer: openWriter(ref),
        headers,
        timings,
        onOver(how) {
          all.delete(entry)
          count(owner, -1)
          if (how === 'behind')
            log.warn({ session: owner, ms: timings.stallMs }, 'a stream was cut: its reader is behind')
          onOver(how)
        },
      })
      const entry = { stream, isForReply }
      all.add(entry)
      count(owner, 1)
      return stream
    },
    async close() {
      isClosed = true
      const open = [...all]
      for (const { stream, isForReply } of open) if (!isForReply) void stream.end()
      await within(graceMs, noneExpected())
      isStopping = true
      for (const giveUp of expected) giveUp()
      await within(LAST_WORDS_MS, Promise.all(open.map(({ stream }) => stream.over)))
      for (const { stream } of all) stream.cut()
    },
  }
}
