import type { Line } from '../mcp/exchange.ts'
import type { EventBuffer } from './event-buffer.ts'
import { type EventStream, KEEP_ALIVE, type OpenStream, type StreamEnd } from './event-stream.ts'
import { toEvent } from './reply.ts'

/** A line that outlives the response which carries it: its events have ids, and a reader that lost it takes it up again. */
export interface Track extends Line {
  readonly id: string
  /** Does it end with the reply to a request? */
  readonly isForReply: boolean
  /** Does a response carry it at the moment? */
  readonly isRead: boolean
  /** Lets a response carry it, from after an event on. @returns that response; undefined when too many are open */
  carry(open: OpenStream, after?: number): EventStream | undefined
}

export interface TrackOptions {
  readonly id: string
  readonly isForReply: boolean
  readonly buffer: EventBuffer
  /** How long a reader may be away before it counts as gone. */
  readonly graceMs: number
  /** The reader has gone, and nobody told it to come back later. */
  readonly onAbandoned: () => void
  /** Its first response never stood: no reader knows of it, and it is over. */
  readonly onUnopened: () => void
  /** It ended: what it sent may still be asked for again. */
  readonly onEnded: () => void
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000
/** Said where we send it away, as MCP wants it, and nowhere else: the Java SDK (1.0 to 2.0) fails a reply with a line that it does not know. */
const RETRY = `retry: ${RETRY_MS}\n`

export function createTrack(options: TrackOptions): Track {
  const { id, isForReply, buffer, graceMs, onAbandoned, onUnopened, onEnded } = options
  let seq = 0
  let isKnown = false
  let isLost = false
  let stream: EventStream | undefined
  let released = Promise.resolve(true)
  let isOver = false
  let absence: NodeJS.Timeout | undefined

  function keep(message: string): string {
    seq++
    const frame = `id: ${id}.${seq}\n${toEvent(message)}`
    buffer.add({ track: id, seq, frame })
    return frame
  }

  /** A reader that went away by itself may come back; one whose response was ended by us, or who was refused one for its reply, is expected to. */
  function onGone(gone: EventStream, how: StreamEnd): void {
    const wasRead = stream === gone
    if (wasRead) stream = undefined
    if (how === 'unopened' && !isKnown) {
      isOver = true
      isLost = true
      onUnopened()
    } else if (wasRead && !isOver && !(isForReply && how === 'unopened')) {
      absence = setTimeout(onAbandoned, graceMs).unref()
    }
  }

  /** @returns false where the response never stood, also the one that was released last */
  function release(): Promise<boolean> {
    const carrying = stream
    stream = undefined
    released = carrying?.end() ?? released
    return released
  }

  return {
    id,
    isForReply,
    get isRead() {
      return stream !== undefined
    },
    carry(open, after = 0) {
      const next: EventStream | undefined = open((how) => next !== undefined && onGone(next, how), stream)
      if (next === undefined) return undefined
      void next.opened.then((isOpened) => (isKnown ||= isOpened))
      clearTimeout(absence)
      void release()
      // Said again to a reader that comes back: some know only what the last response said, and would begin anew after the next loss.
      void next.send([toPlace(id, after), ...buffer.after(id, after)].join(''))
      if (isOver) void next.end()
      else stream = next
      return next
    },
    async send(message) {
      if (isOver) return false
      const frame = keep(message)
      await stream?.send(frame)
      return !isLost
    },
    comment: () => void stream?.send(KEEP_ALIVE),
    async pause() {
      if (isOver || stream === undefined) return false
      void stream.send(toPlace(id, seq, RETRY))
      return release()
    },
    async end(message) {
      if (isOver) return true
      const frame = message === undefined ? '' : keep(message)
      isOver = true
      clearTimeout(absence)
      if (frame !== '') void stream?.send(frame)
      onEnded()
      return release()
    },
  }
}

function toPlace(track: string, after: number, more = ''): string {
  return `id: ${track}.${after}\n${more}data:\n\n`
}
