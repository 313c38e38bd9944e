import { setTimeout as pause } from 'node:timers/promises'
import { type Collection, readRecord } from './collection.ts'
import type { Sized, Stamped } from './record-kind.ts'
import { isTooLarge } from './store-fault.ts'

/**
 * Reads bodies that nobody has asked for since this registry was started, so that it can give them back to a store that is emptied: the newest
 * first, one at a time, while nothing else is asked of it, and as many as are kept.
 */
export interface Prefetch {
  /** The index is known: begins, or goes on after the store could not be read. */
  start(): void
  /** Somebody asks for something. */
  giveWay(): void
  stop(): void
}

/** From one body to the next, in milliseconds. */
const PAUSE_MS = 5
/** So long after a call the next one may follow. */
const QUIET_MS = 50
/** Where one follows the other all the time, a body is read so often all the same. */
const AT_LEAST_EVERY_MS = 1000

export function createPrefetch<Row extends Stamped, Entry extends Sized>(collection: Collection<Row, Entry>): Prefetch {
  const stopping = new AbortController()
  let askedAt = Number.NEGATIVE_INFINITY
  let isStarted = false
  /** Records that no message can hold: each try ends the connection. */
  const unreadable = new Set<string>()

  async function waitForQuiet(): Promise<void> {
    const since = performance.now()
    do await pause(PAUSE_MS, undefined, { ref: false, signal: stopping.signal })
    while (performance.now() - askedAt < QUIET_MS && performance.now() - since < AT_LEAST_EVERY_MS)
  }

  async function readOne(key: string): Promise<Row | undefined> {
    const row = await readRecord(collection, key).catch((error: unknown) => {
      if (isTooLarge(error)) unreadable.add(key)
      throw error
    })
    return row?.registered_at === collection.replica.get(key)?.entry.registered_at ? row : undefined
  }

  async function readAll(): Promise<void> {
    const { kind, replica, cache } = collection
    for (const { key, entry } of newestFirst(replica.all())) {
      if (cache.get(key) !== undefined || unreadable.has(key)) continue
      const bytes = kind.sizeOf(entry)
      if (!cache.hasRoom(bytes)) return
      await waitForQuiet()
      const row = await readOne(key)
      if (row !== undefined) cache.offer(key, row, bytes)
    }
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      readAll().catch(() => {
        isStarted = false
      })
    },
    giveWay() {
      askedAt = performance.now()
    },
    stop: () => stopping.abort(),
  }
}

function newestFirst<Item extends { readonly entry: Stamped }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.entry.registered_at < b.entry.registered_at ? 1 : -1))
}
