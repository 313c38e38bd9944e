import type { Changes } from '../changes/index.ts'
import type { LiveSession } from '../sessions/index.ts'
import { type Line, type OpenStream, openLine } from './line.ts'
import type { StreamRequest, Streams } from './streams.ts'
import type { Track } from './track.ts'
import { isResumable, type Tracks } from './tracks.ts'

/** The streams that clients open to hear of what no request of theirs is about. */
export interface Listening {
  /** The newest takes the place of the oldest, where a session has as many as it may. @returns false when there are too many already */
  open(live: LiveSession, place: Place): boolean
  /** Takes a stream of the session up again, after an event of it. @returns false when there are too many already */
  resume(live: LiveSession, track: Track, after: number, place: Place): boolean
}

/** The response that a stream is to be. */
export type Place = Pick<StreamRequest, 'ref' | 'headers'>

export interface ListeningOptions {
  readonly streams: Streams
  readonly tracks: Tracks
  readonly watch: Changes['watch']
}

interface Listener {
  readonly line: Line
  /** Does somebody read it at the moment? */
  readonly isRead: () => boolean
}

interface Audience {
  readonly all: Listener[]
  /** Ends all of them. */
  readonly end: () => void
  readonly stopWatching: () => void
}

/** Those that a session has lost count too, until it is clear that it does not come back for them. */
const MAX_LISTENERS = 32
/** How long what a client misses while it is away is kept for it. */
const AWAY_MS = 300_000

export function createListening({ streams, tracks, watch }: ListeningOptions): Listening {
  const audiences = new WeakMap<LiveSession, Audience>()

  /** Every message goes to one stream only: the newest that is read. */
  function tell(all: readonly Listener[], method: string, params: object): void {
    const listener = all.findLast(({ isRead }) => isRead()) ?? all.at(-1)
    void listener?.line.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  function startWatching(live: LiveSession): Audience {
    const all: Listener[] = []
    const stopWatching = watch({
      wants: () => true,
      isSubscribed: (uri) => live.state.subscriptions.has(uri),
      addresses: () => live.state.subscriptions,
      tell: (method, params) => tell(all, method, params),
    })
    const end = () => {
      for (const listener of [...all]) drop(live, listener)
    }
    live.onEnd.add(end)
    const audience = { all, end, stopWatching }
    audiences.set(live, audience)
    return audience
  }

  function add(live: LiveSession, listener: Listener): true {
    const { all } = audiences.get(live) ?? startWatching(live)
    all.push(listener)
    if (all.length > MAX_LISTENERS) drop(live, all.find(({ isRead }) => !isRead()) ?? all[0])
    return true
  }

  function drop(live: LiveSession, listener: Listener | undefined): void {
    if (listener === undefined) return
    void listener.line.end()
    remove(live, listener)
  }

  function remove(live: LiveSession, listener: Listener): void {
    const audience = audiences.get(live)
    if (audience === undefined) return
    const at = audience.all.indexOf(listener)
    if (at >= 0) audience.all.splice(at, 1)
    if (audience.all.length > 0) return
    audience.stopWatching()
    live.onEnd.delete(audience.end)
    audiences.delete(live)
  }

  function open(live: LiveSession, place: Place): boolean {
    const opener = toOpener(streams, live, place)
    if (!isResumable(live.facts.revision)) {
      const line = openLine(opener, () => remove(live, listener))
      if (line === undefined) return false
      line.comment()
      const listener = { line, isRead: () => true }
      return add(live, listener)
    }
    const onAbandoned = () => {
      void track.end()
      remove(live, listener)
    }
    const track = tracks.begin(live, { graceMs: AWAY_MS, onAbandoned })
    const listener = { line: track, isRead: () => track.isRead }
    if (track.carry(opener)) return add(live, listener)
    void track.end()
    return false
  }

  return {
    open,
    resume(live, track, after, place) {
      const all = audiences.get(live)?.all ?? []
      const at = all.findIndex(({ line }) => line === track)
      // One that was given up is not told anything any more; its reader would come back to it for ever.
      if (at < 0 && !track.isForReply) return open(live, place)
      if (!track.carry(toOpener(streams, live, place, track.isForReply), after)) return false
      all.push(...all.splice(at, at < 0 ? 0 : 1))
      return true
    },
  }
}

/** A stream that keeps its session from becoming idle. */
function toOpener(streams: Streams, live: LiveSession, place: Place, isForReply = false): OpenStream {
  return (onOver, instead) => {
    const stream = streams.open({
      ...place,
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
