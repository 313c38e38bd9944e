import { within } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { EventStream } from './event-stream.ts'

/** An open stream, as it counts. */
export interface StreamSlot {
  readonly stream: EventStream
  /** The session whose it is; undefined for a caller without one. */
  readonly owner: string | undefined
  /** Who has asked for it. */
  readonly principal: Principal
  readonly isForReply: boolean
  /** What its reader is told before it ends with this server. */
  readonly lastFrame?: string | undefined
}

/** How many streams may be open at once: in all, for one owner, and for those that have none together. */
export interface StreamSlots {
  readonly all: ReadonlySet<StreamSlot>
  /**
   * Makes sure that there is a slot for one more. Where as many are open as may be, the oldest that the same owner listens on gives its
   * slot up: who comes again has most likely lost it, which is seen only when something is sent on it.
   *
   * @param instead a stream that gives its slot up in any case
   * @returns false when there is none
   */
  makeRoom(wanted: Omit<StreamSlot, 'stream'>, instead: EventStream | undefined): boolean
  add(slot: StreamSlot): void
  /** It is over. */
  remove(slot: StreamSlot): void
}

export interface StreamSlotsOptions {
  readonly atOnce: number
  readonly perOwner: number
  /** How many a principal may have open. @default as many as there may be */
  readonly limitOf?: (principal: Principal) => number
}

/** How long the reader of a stream may take to read its end when another has its slot. */
const LAST_WORDS_MS = 500
/** How long its connection may take to stand and to bear its end. One that is cut before is a response that never begins. */
const ENDING_MS = 5_000
/** So many times as many as an owner may have open may be about to be over; and in all as many as may be open. */
const LEAVING_PER_OPEN = 8
/** What all callers without a session may have open together, and all sessions together: each leaves the other some. */
const SHARES = { sessionless: 1 / 2, sessions: 3 / 4 }
const NONE: ReadonlySet<StreamSlot> = new Set()

export function createStreamSlots({ atOnce, perOwner, limitOf = () => atOnce }: StreamSlotsOptions): StreamSlots {
  const all = new Set<StreamSlot>()
  /** The oldest first. */
  const owned = new Map<string, Set<StreamSlot>>()
  let sessionless = 0
  /** Those that are about to be over. */
  const leaving = new Set<StreamSlot>()

  function isFull({ owner }: Omit<StreamSlot, 'stream'>): boolean {
    const open = all.size - leaving.size
    const [share, mine] =
      owner === undefined ? [SHARES.sessionless, sessionless] : [SHARES.sessions, open - sessionless]
    return open >= atOnce || mine >= Math.ceil(atOnce * share)
  }

  function hasAll({ principal }: Omit<StreamSlot, 'stream'>): boolean {
    if (principal.method === 'off') return false
    let open = 0
    for (const slot of all) if (slot.principal.id === principal.id && !leaving.has(slot)) open += 1
    return open >= limitOf(principal)
  }

  function findReplaced(
    { isForReply }: Omit<StreamSlot, 'stream'>,
    own: readonly StreamSlot[],
  ): StreamSlot | undefined {
    const listening = own.filter((slot) => !slot.isForReply)
    // A reply does not take the last one: its reader would hear of nothing else any more.
    return isForReply && listening.length === 1 ? undefined : listening[0]
  }

  /** @param isInOrder its reader may read what is on the way; not where one reader has left many behind */
  function replace(old: StreamSlot, isInOrder: boolean): void {
    leaving.add(old)
    void within(ENDING_MS, old.stream.end(isInOrder ? LAST_WORDS_MS : 0)).then(() => old.stream.cut())
  }

  return {
    all,
    makeRoom(wanted, instead) {
      const mine = wanted.owner === undefined ? NONE : (owned.get(wanted.owner) ?? NONE)
      const counted = [...mine].filter((slot) => !leaving.has(slot))
      const before = counted.find(({ stream }) => stream === instead)
      if (before === undefined && counted.length < perOwner && !isFull(wanted) && !hasAll(wanted)) return true
      const old = before ?? findReplaced(wanted, counted)
      const left = mine.size - counted.length
      if (old === undefined || left >= perOwner * LEAVING_PER_OPEN || leaving.size >= atOnce) return false
      replace(old, left < perOwner)
      return true
    },
    add(slot) {
      const { owner } = slot
      all.add(slot)
      if (owner === undefined) sessionless++
      else owned.set(owner, (owned.get(owner) ?? new Set()).add(slot))
    },
    remove(slot) {
      if (slot.owner === undefined && all.has(slot)) sessionless--
      const own = owned.get(slot.owner ?? '')
      for (const slots of [all, leaving, own]) slots?.delete(slot)
      if (own?.size === 0) owned.delete(slot.owner ?? '')
    },
  }
}
