import type { Changes } from '../changes/index.ts'
import { isResumable } from '../mcp/era.ts'
import type { LiveSession } from '../sessions/index.ts'
import { createAudiences } from './audiences.ts'
import { type OpenStream, openLine } from './event-stream.ts'
import type { EventStreams, StreamRequest } from './streams.ts'
import type { Track } from './track.ts'
import type { Tracks } from './tracks.ts'

/** The streams that clients open to hear of what no request of theirs is about. */
export interface SessionStreams {
  /** The newest takes the place of the oldest, where a session has as many as it may. @returns false when there are too many already */
  open(live: LiveSession, response: StreamResponse): boolean
  /** In the place of one that is not here any more, or never was: another process had it. @returns false when there are too many already */
  replace(live: LiveSession, response: StreamResponse): boolean
  /** Takes a stream of the session up again, after an event of it. @returns false when there are too many already */
  resume(live: LiveSession, track: Track, after: number, response: StreamResponse): boolean
}

/** The response that a stream is to be. */
export type StreamResponse = Pick<StreamRequest, 'ref' | 'headers' | 'principal'>

export interface SessionStreamsOptions {
  readonly streams: EventStreams
  readonly tracks: Tracks
  readonly watch: Changes['watch']
}

/** How long what a client misses while it is away is kept for it. */
const AWAY_MS = 300_000

export function createSessionStreams({ streams, tracks, watch }: SessionStreamsOptions): SessionStreams {
  const audiences = createAudiences(watch)

  function open(live: LiveSession, response: StreamResponse): boolean {
    const opener = toOpener(streams, live, response)
    if (!isResumable(live.facts.revision)) {
      const line = openLine(opener, () => audiences.remove(live, listener))
      if (line === undefined) return false
      line.comment()
      const listener = { line, principal: response.principal, isRead: () => true }
      return audiences.add(live, listener)
    }
    const onAbandoned = () => {
      void track.end()
      audiences.remove(live, listener)
    }
    const track = tracks.begin(live, { graceMs: AWAY_MS, onAbandoned })
    const listener = { line: track, principal: response.principal, isRead: () => track.isRead }
    if (track.carry(opener)) return audiences.add(live, listener)
    void track.end()
    return false
  }

  function replace(live: LiveSession, response: StreamResponse): boolean {
    const isOpen = open(live, response)
    if (isOpen) audiences.tellOfAll(live)
    return isOpen
  }

  return {
    open,
    replace,
    resume(live, track, after, response) {
      const listener = audiences.find(live, track)
      // One that was given up is not told anything any more; its reader would come back to it for ever.
      if (listener === undefined && !track.isForReply) return replace(live, response)
      const carry = () => track.carry(toOpener(streams, live, response, track.isForReply), after)
      if (listener === undefined) return carry()
      listener.principal = response.principal
      return audiences.renew(live, listener, carry)
    },
  }
}

/** A stream that keeps its session from becoming idle. */
function toOpener(streams: EventStreams, live: LiveSession, response: StreamResponse, isForReply = false): OpenStream {
  return (onOver, instead) => {
    const stream = streams.open({
      ...response,
      owner: live.facts.handle,
      isForReply,
      instead,
      onOver() {
        live.openStreams--
        onOver()
      },
    })
    if (stream !== undefined) live.openStreams++
    return stream
  }
}
