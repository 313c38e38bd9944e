import type { Changes } from '../changes/index.ts'
import { isResumable } from '../mcp/era.ts'
import type { Line } from '../mcp/exchange.ts'
import type { LiveSession } from '../sessions/index.ts'
import { createAudiences } from './audiences.ts'
import { type EventStream, type OpenStream, type StreamEnd, toLine } from './event-stream.ts'
import type { EventStreams, StreamRequest } from './streams.ts'
import type { Track } from './track.ts'
import type { Tracks } from './tracks.ts'

/** The streams that clients open to hear of what no request of theirs is about. What opens one returns undefined when there are too many already. */
export interface SessionStreams {
  /** The newest takes the place of the oldest, where a session has as many as it may. */
  open(live: LiveSession, response: StreamResponse): EventStream | undefined
  /** In the place of one that is not here any more, or never was: another process had it. */
  replace(live: LiveSession, response: StreamResponse): EventStream | undefined
  /** Takes a stream of the session up again, after an event of it. */
  resume(live: LiveSession, track: Track, after: number, response: StreamResponse): EventStream | undefined
  /** What brings a message that is about no request under way; undefined where the session does not listen at the moment. */
  toldLine(live: LiveSession): Pick<Line, 'send'> | undefined
}

/** The response that a stream is to be. */
export type StreamResponse = Pick<StreamRequest, 'ref' | 'headers' | 'principal'>

export interface SessionStreamsOptions {
  readonly streams: EventStreams
  readonly tracks: Tracks
  readonly watch: Changes['watch']
}

/**
 * How long a client waits before it comes back to a server that has stopped. The official SDKs for TypeScript and Python try twice and
 * listen no more after that: a second and 2.5 are soon over. Some go on to wait so long after other streams, which is less than a reply waits.
 */
const RESTART = 'retry: 2500\n\n'
/** How long what a client misses while it is away is kept for it. */
const AWAY_MS = 300_000

export function createSessionStreams({ streams, tracks, watch }: SessionStreamsOptions): SessionStreams {
  const audiences = createAudiences(watch)

  function open(live: LiveSession, response: StreamResponse): EventStream | undefined {
    const opener = toOpener(streams, live, response)
    if (!isResumable(live.facts.revision)) {
      const stream = opener(() => audiences.remove(live, listener))
      if (stream === undefined) return undefined
      const line = toLine(stream)
      line.comment()
      const listener = { line, principal: response.principal, isRead: () => true }
      audiences.add(live, listener, stream.opened)
      return stream
    }
    const onAbandoned = () => {
      void track.end()
      audiences.remove(live, listener)
    }
    const onUnopened = () => audiences.remove(live, listener)
    const track = tracks.begin(live, { graceMs: AWAY_MS, onAbandoned, onUnopened })
    const listener = { line: track, principal: response.principal, isRead: () => track.isRead }
    const stream = track.carry(opener)
    if (stream === undefined) void track.end()
    else audiences.add(live, listener, stream.opened)
    return stream
  }

  function replace(live: LiveSession, response: StreamResponse): EventStream | undefined {
    const stream = open(live, response)
    if (stream !== undefined) audiences.tellOfAll(live)
    return stream
  }

  return {
    open,
    replace,
    toldLine: audiences.toldLine,
    resume(live, track, after, response) {
      const listener = audiences.find(live, track)
      // One that was given up is not told anything any more; its reader would come back to it for ever.
      if (listener === undefined && !track.isForReply) return replace(live, response)
      const carry = () => track.carry(toOpener(streams, live, response, track.isForReply), after)
      if (listener === undefined) return carry()
      return audiences.renew(live, listener, response.principal, carry)
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
      lastFrame: isResumable(live.facts.revision) ? RESTART : undefined,
      instead,
      onOver(how: StreamEnd) {
        live.openStreams--
        onOver(how)
      },
    })
    if (stream !== undefined) live.openStreams++
    return stream
  }
}
