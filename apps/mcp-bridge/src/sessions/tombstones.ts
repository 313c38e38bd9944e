import { isObject } from '../rpc.ts'
import type { SessionStore, Tombstone } from './store.ts'

/** The sessions that were ended before their time, as far as all bridges of the engine know. */
export interface Tombstones {
  has(handle: string): boolean
  /** Rejects when it could not be stored; it holds for this process all the same. */
  add(tombstone: Tombstone): Promise<void>
  /** Takes over one that another bridge has stored. */
  learn(tombstone: Tombstone): void
  /** Puts what is known here and what is stored together. @throws when the store cannot be read */
  load(): Promise<void>
}

const MAX_TOMBSTONES = 10_000

export function createTombstones(store: SessionStore, now: () => number): Tombstones {
  const all = new Map<string, Tombstone>()

  /** Drops what has expired, and the oldest of too many. */
  function prune(): void {
    for (const { handle, expiresAt } of all.values()) {
      if (expiresAt > now() && all.size <= MAX_TOMBSTONES) continue
      all.delete(handle)
      store.removeEnded(handle).catch(() => undefined)
    }
  }

  const learn = (tombstone: Tombstone) => void all.set(tombstone.handle, tombstone)

  return {
    has: (handle) => all.has(handle),
    add(tombstone) {
      learn(tombstone)
      prune()
      return store.addEnded(tombstone)
    },
    learn,
    async load() {
      const stored = await store.ended()
      for (const tombstone of stored) learn(tombstone)
      prune()
      const known = new Set(stored.map(({ handle }) => handle))
      for (const tombstone of all.values()) if (!known.has(tombstone.handle)) await store.addEnded(tombstone)
    },
  }
}

/** A tombstone as it comes with an event of the store. */
export function toTombstone(row: unknown): Tombstone | undefined {
  if (!isObject(row)) return undefined
  const { handle, expires_at: expiresAt } = row
  return typeof handle === 'string' && typeof expiresAt === 'number' ? { handle, expiresAt } : undefined
}
