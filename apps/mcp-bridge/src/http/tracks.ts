import { randomBytes } from 'node:crypto'
import { parseJsonText } from '@iii/sdk'
import type { LiveSession } from '../sessions/index.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import { createTrack, type Track } from './track.ts'

/** The tracks of all sessions that can take up a stream again, and what was sent on them lately. */
export interface Tracks {
  /** @param request the JSON-RPC id of the request whose reply it carries; undefined for a stream without one */
  begin(live: LiveSession, begin: TrackBeginning): Track
  /** @returns undefined also for one that has ended, and of whose events none is kept */
  find(live: LiveSession, id: string): Track | undefined
  readonly size: number
}

export interface TrackBeginning {
  readonly request?: string | number | undefined
  readonly graceMs: number
  readonly onAbandoned: () => void
  readonly onUnopened: () => void
}

/** What an event id tells, also to a bridge that has never seen the track. */
export interface EventId {
  readonly track: string
  readonly seq: number
  /** The request whose reply the track carries; undefined where there is none, or its id was too long. */
  readonly request: string | number | undefined
}

interface SessionTracks {
  readonly buffer: EventBuffer
  readonly tracks: Map<string, Track>
  /** How to forget each that has ended, the first one first. */
  readonly ended: Set<() => void>
}

const PER_SESSION = { events: 512, bytes: 4 * 1024 * 1024 }
/** In all sessions together; beyond them what ended first goes first. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ENDED = 1_024
const MAX_ENDED_PER_SESSION = 128
/** What has ended can be asked for again for so long. */
const KEEP_MS = 300_000
const MAX_REQUEST_ID_LENGTH = 64
const EVENT_ID = /^([A-Za-z0-9_-]{12}(?:~([A-Za-z0-9_-]{1,128}))?)\.(\d{1,9})$/

export function createTracks(): Tracks {
  const sessions = new Map<string, SessionTracks>()
  /** How to forget each that has ended, the first one first. */
  const ended = new Map<Track, () => void>()
  let bytes = 0

  function enter(live: LiveSession): SessionTracks {
    const { handle } = live.facts
    const known = sessions.get(handle)
    if (known !== undefined) return known
    const buffer = createEventBuffer(PER_SESSION, (more) => {
      bytes += more
    })
    const fresh: SessionTracks = { buffer, tracks: new Map(), ended: new Set() }
    sessions.set(handle, fresh)
    return fresh
  }

  function forgetOldest(): void {
    for (const forget of ended.values()) {
      if (bytes <= MAX_BYTES && ended.size <= MAX_ENDED) return
      forget()
    }
  }

  return {
    begin(live, { request, onUnopened, ...begin }) {
      const { handle } = live.facts
      const { buffer, tracks, ended: ownEnded } = enter(live)
      const id = formatTrackId(request)
      let timer: NodeJS.Timeout | undefined
      const forget = () => {
        clearTimeout(timer)
        ended.delete(track)
        ownEnded.delete(forget)
        buffer.drop(id)
        live.onEnd.delete(forget)
        if (tracks.delete(id) && tracks.size === 0) sessions.delete(handle)
      }
      const onEnded = () => {
        // There is nothing to be asked for; its session may be over, too.
        if (!tracks.has(id) || !buffer.has(id)) return forget()
        timer = setTimeout(forget, KEEP_MS).unref()
        ended.set(track, forget)
        ownEnded.add(forget)
        if (ownEnded.size > MAX_ENDED_PER_SESSION) ownEnded.values().next().value?.()
        forgetOldest()
      }
      const track = createTrack({
        ...begin,
        id,
        isForReply: request !== undefined,
        buffer,
        onEnded,
        onUnopened() {
          forget()
          onUnopened()
        },
      })
      tracks.set(id, track)
      live.onEnd.add(forget)
      return track
    },
    find(live, id) {
      const { tracks, buffer } = sessions.get(live.facts.handle) ?? {}
      const track = tracks?.get(id)
      return track !== undefined && ended.has(track) && !buffer?.has(id) ? undefined : track
    },
    get size() {
      let size = 0
      for (const { tracks } of sessions.values()) size += tracks.size
      return size
    },
  }
}

/** Unique among all sessions and bridges. */
function formatTrackId(request: string | number | undefined): string {
  const id = randomBytes(9).toString('base64url')
  const text = request === undefined ? '' : JSON.stringify(request)
  return text === '' || text.length > MAX_REQUEST_ID_LENGTH ? id : `${id}~${Buffer.from(text).toString('base64url')}`
}

/** Reads a Last-Event-ID; undefined for one that no bridge has written. */
export function parseEventId(text: string): EventId | undefined {
  const [, track, encoded, seq] = EVENT_ID.exec(text) ?? []
  if (track === undefined) return undefined
  return { track, seq: Number(seq), request: encoded === undefined ? undefined : readRequestId(encoded) }
}

function readRequestId(encoded: string): string | number | undefined {
  const id = parseJsonText(Buffer.from(encoded, 'base64url').toString())
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : undefined
}
