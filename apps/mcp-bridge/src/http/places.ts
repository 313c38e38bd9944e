import { within } from '@iii/sdk'
import type { EventStream } from './event-stream.ts'

/** An open stream, as it counts. */
export interface Place {
  readonly stream: EventStream
  /** The session whose it is; undefined for a caller without one. */
  readonly owner: string | undefined
  readonly isForReply: boolean
}

/** How many streams may be open at once: in all, for one owner, and for those that have none together. */
export interface Places {
  readonly all: ReadonlySet<Place>
  /**
   * Makes sure that there is a place for one more. Where as many are open as may be, the oldest that the same owner listens on gives its
   * place up: who comes again has most likely lost it, which is seen only when something is sent on it.
   *
   * @param instead a stream that gives its place up in any case
   * @returns false when there is none
   */
  makeRoom(wanted: Omit<Place, 'stream'>, instead: EventStream | undefined): boolean
  add(place: Place): void
  /** It is over. */
  remove(place: Place): void
}

export interface PlacesOptions {
  readonly atOnce: number
  readonly perOwner: number
}

/** How long the reader of a stream may take to read its end when another has its place. */
const LAST_WORDS_MS = 500
/** How long its connection may take to stand and to bear its end. One that is cut before is a response that never begins. */
const ENDING_MS = 5_000
/** So many times as many as an owner may have open may be about to be over; and in all as many as may be open. */
const LEAVING_PER_OPEN = 8
/** What all callers without a session may have open together, and all sessions together: each leaves the other some. */
const SHARES = { sessionless: 1 / 2, sessions: 3 / 4 }
const NONE: ReadonlySet<Place> = new Set()

export function createPlaces({ atOnce, perOwner }: PlacesOptions): Places {
  const all = new Set<Place>()
  /** The oldest first. */
  const owned = new Map<string, Set<Place>>()
  let sessionless = 0
  /** Those that are about to be over. */
  const leaving = new Set<Place>()

  function isFull({ owner }: Omit<Place, 'stream'>): boolean {
    const open = all.size - leaving.size
    const [share, mine] =
      owner === undefined ? [SHARES.sessionless, sessionless] : [SHARES.sessions, open - sessionless]
    return open >= atOnce || mine >= Math.ceil(atOnce * share)
  }

  function findReplaced({ isForReply }: Omit<Place, 'stream'>, own: readonly Place[]): Place | undefined {
    const listening = own.filter((place) => !place.isForReply)
    // A reply does not take the last one: its reader would hear of nothing else any more.
    return isForReply && listening.length === 1 ? undefined : listening[0]
  }

  /** @param isInOrder its reader may read what is on the way; not where one reader has left many behind */
  function replace(old: Place, isInOrder: boolean): void {
    leaving.add(old)
    void within(ENDING_MS, old.stream.end(isInOrder ? LAST_WORDS_MS : 0)).then(() => old.stream.cut())
  }

  return {
    all,
    makeRoom(wanted, instead) {
      const mine = wanted.owner === undefined ? NONE : (owned.get(wanted.owner) ?? NONE)
      const counted = [...mine].filter((place) => !leaving.has(place))
      const before = counted.find(({ stream }) => stream === instead)
      if (before === undefined && counted.length < perOwner && !isFull(wanted)) return true
      const old = before ?? findReplaced(wanted, counted)
      const left = mine.size - counted.length
      if (old === undefined || left >= perOwner * LEAVING_PER_OPEN || leaving.size >= atOnce) return false
      replace(old, left < perOwner)
      return true
    },
    add(place) {
      const { owner } = place
      all.add(place)
      if (owner === undefined) sessionless++
      else owned.set(owner, (owned.get(owner) ?? new Set()).add(place))
    },
    remove(place) {
      if (place.owner === undefined && all.has(place)) sessionless--
      const own = owned.get(place.owner ?? '')
      for (const places of [all, leaving, own]) places?.delete(place)
      if (own?.size === 0) owned.delete(place.owner ?? '')
    },
  }
}
