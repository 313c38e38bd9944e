import { within } from '@iii/sdk'
import type { EventStream } from './event-stream.ts'

/** An open stream, as it counts. */
export interface Place {
  readonly stream: EventStream
  /** Whose it is, for streams that count together. */
  readonly owner: string | undefined
  readonly isForReply: boolean
}

/** How many streams may be open at once, in all and for one owner. */
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

/** How long the end of a stream may take whose place another has. */
const LAST_WORDS_MS = 500
const NONE: ReadonlySet<Place> = new Set()

export function createPlaces({ atOnce, perOwner }: PlacesOptions): Places {
  const all = new Set<Place>()
  /** The oldest first. */
  const owned = new Map<string, Set<Place>>()
  /** Those that are about to be over. */
  const leaving = new Set<Place>()

  function findReplaced({ isForReply }: Omit<Place, 'stream'>, own: readonly Place[]): Place | undefined {
    const listening = own.filter((place) => !place.isForReply)
    // A reply does not take the last one: its reader would hear of nothing else any more.
    return isForReply && listening.length === 1 ? undefined : listening[0]
  }

  /** @param isInOrder its reader may read what is on the way; not where one reader has left many behind */
  function replace(old: Place, isInOrder: boolean): void {
    leaving.add(old)
    void within(isInOrder ? LAST_WORDS_MS : 0, old.stream.end()).then(() => old.stream.cut())
  }

  return {
    all,
    makeRoom(wanted, instead) {
      const mine = wanted.owner === undefined ? NONE : (owned.get(wanted.owner) ?? NONE)
      const counted = [...mine].filter((place) => !leaving.has(place))
      const before = counted.find(({ stream }) => stream === instead)
      if (before === undefined && counted.length < perOwner && all.size - leaving.size < atOnce) return true
      const old = before ?? findReplaced(wanted, counted)
      if (old !== undefined) replace(old, mine.size - counted.length < perOwner)
      return old !== undefined
    },
    add(place) {
      const { owner } = place
      all.add(place)
      if (owner !== undefined) owned.set(owner, (owned.get(owner) ?? new Set()).add(place))
    },
    remove(place) {
      const own = owned.get(place.owner ?? '')
      for (const places of [all, leaving, own]) places?.delete(place)
      if (own?.size === 0) owned.delete(place.owner ?? '')
    },
  }
}
