import { type Holder, LOOK_AT_ONCE, type Stranger } from './look.ts'
import type { Registrations } from './ownership.ts'

/** What is known on this connection of who has which of our functions. */
export interface Holdings {
  note(held: ReadonlyMap<string, Holder>): void
  /** Of these ids, those that belong to nobody and that it is any use to register again. */
  missing(ids: readonly string[]): string[]
  /** Counts a try to register them again. */
  tried(ids: readonly string[]): void
  /** Whether it was on the engine at some look. */
  wasThere(id: string): boolean
  /** Of these ids, those that belong to others, with whom; of strangers without a nonce only where ours were seen or refused, unless all count. */
  lost(ids: readonly string[], all?: boolean): Map<string, Stranger>
  isOurs(id: string): boolean
  /** Who else has it, if anybody. */
  holderOf(id: string): Stranger | undefined
  /** So many ids as one call can ask for: some that are lost, and the next of the others in turn. */
  pick(ids: readonly string[]): string[]
  /** Of how many ids something is known. */
  readonly size: number
  /** Forgets all others: they were unregistered. */
  keepOnly(ids: ReadonlySet<string>): void
  clear(): void
}

/** An engine that gives ids other names, or does not take them, would be told of them for ever. */
const MAX_TRIES = 2

export function createHoldings({ isRefused }: Pick<Registrations, 'isRefused'>): Holdings {
  const known = new Map<string, Holder>()
  /** Seen by others too, so that it is any use to register it. */
  const seen = new Set<string>()
  /** Seen to be ours, so that a stranger without a nonce is one, and no engine that leaves nonces away. */
  const confirmed = new Set<string>()
  const tries = new Map<string, number>()
  let cursor = 0

  const triesOf = (id: string) => tries.get(id) ?? 0

  function lost(ids: readonly string[], all = false): Map<string, Stranger> {
    const strangers = new Map<string, Stranger>()
    for (const id of ids) {
      const holder = known.get(id)
      if (typeof holder !== 'object') continue
      if (all || holder.instance !== undefined || confirmed.has(id) || isRefused(id)) strangers.set(id, holder)
    }
    return strangers
  }

  return {
    get size() {
      return known.size
    },
    keepOnly(ids) {
      for (const kept of [known, seen, confirmed, tries])
        for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id)
    },
    note(held) {
      for (const [id, holder] of held) {
        known.set(id, holder)
        if (holder === 'us') confirmed.add(id)
        if (holder === 'us' || typeof holder === 'object') seen.add(id)
      }
    },
    missing: (ids) => ids.filter((id) => known.get(id) === 'nobody' && (seen.has(id) || triesOf(id) < MAX_TRIES)),
    tried(ids) {
      for (const id of ids) tries.set(id, triesOf(id) + 1)
    },
    wasThere: (id) => seen.has(id),
    lost,
    isOurs: (id) => known.get(id) === 'us',
    holderOf(id) {
      const holder = known.get(id)
      return typeof holder === 'object' ? holder : undefined
    },
    pick(ids) {
      if (ids.length <= LOOK_AT_ONCE) return [...ids]
      const elsewhere = lost(ids)
      const first = [...elsewhere.keys()].slice(0, LOOK_AT_ONCE / 2)
      const others = ids.filter((id) => !elsewhere.has(id))
      const count = Math.min(LOOK_AT_ONCE - first.length, others.length)
      const next = Array.from({ length: count }, (_, at) => others[(cursor + at) % others.length] ?? '')
      cursor += count
      return [...first, ...next]
    },
    clear() {
      known.clear()
      seen.clear()
      confirmed.clear()
      tries.clear()
    },
  }
}
