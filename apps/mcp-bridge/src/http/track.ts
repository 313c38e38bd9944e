import type { Line } from '../mcp/exchange.ts'
import type { EventBuffer } from './event-buffer.ts'
import { type EventStream, KEEP_ALIVE, type OpenStream } from './event-stream.ts'
import { toEvent } from './reply.ts'

/** A line that outlives the response which carries it: its events have ids, and a reader that lost it takes it up again. */
export interface Track extends Line {
  readonly id: string
  /** Does it end with the reply to a request? */
  readonly isForReply: boolean
  /** Does a response carry it at the moment? */
  readonly isRead: boolean
  /** Lets a response carry it, from after an event on. @returns false when no stream could be opened */
  carry(open: OpenStream, after?: number): boolean
}

export interface TrackOptions {
  readonly id: string
  readonly isForReply: boolean
  readonly buffer: EventBuffer
  /** How long a reader may be away before it counts as gone. */
  readonly graceMs: number
  /** The reader has gone, and nobody told it to come back later. */
  readonly onAbandoned: () => void
  /** It ended: what it sent may still be asked for again. */
  readonly onEnded: () => void
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000
/** Said where we send it away, as MCP wants it, and nowhere else: the Java SDK (1.0 to 2.0) fails a reply with a line that it does not know. */
const RETRY = `retry: ${RETRY_MS}\n`

export function createTrack({ id, isForReply, buffer, graceMs, onAbandoned, onEnded }: TrackOptions): Track {
  let seq = 0
  let stream: EventStream | undefined
  let isOver = false
  let absence: NodeJS.Timeout | undefined

  function toPlace(after: number, more = ''): string {
    return `id: ${id}.${after}\n${more}data:\n\n`
  }

  function keep(message: string): string {
    seq++
    const frame = `id: ${id}.${seq}\n${toEvent(message)}`
    buffer.add({ track: id, seq, frame })
    return frame
  }

  /** A reader that went away by itself may come back; one whose response was ended by us is expected to. */
  function onGone(gone: EventStream): void {
    if (stream !== gone) return
    stream = undefined
    if (!isOver) absence = setTimeout(onAbandoned, graceMs).unref()
  }

  function release(): Promise<void> {
    const carrying = stream
    stream = undefined
    return carrying?.end() ?? Promise.resolve()
  }

  return {
    id,
    isForReply,
    get isRead() {
      return stream !== undefined
    },
    carry(open, after = 0) {
      const next: EventStream | undefined = open(() => next !== undefined && onGone(next), stream)
      if (next === undefined) return false
      clearTimeout(absence)
      void release()
      // Said again to a reader that comes back: some know only what the last response said, and would begin anew after the next loss.
      void next.send([toPlace(after), ...buffer.after(id, after)].join(''))
      if (isOver) void next.end()
      else stream = next
      return true
    },
    async send(message) {
      if (isOver) return false
      const frame = keep(message)
      await stream?.send(frame)
      return true
    },
    comment: () => void stream?.send(KEEP_ALIVE),
    async pause() {
      if (isOver || stream === undefined) return false
      void stream.send(toPlace(seq, RETRY))
      await release()
      return true
    },
    async end(message) {
      if (isOver) return
      const frame = message === undefined ? '' : keep(message)
      isOver = true
      clearTimeout(absence)
      if (frame !== '') void stream?.send(frame)
      onEnded()
      await release()
    },
  }
}
