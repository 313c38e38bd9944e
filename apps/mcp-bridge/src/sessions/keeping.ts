import { randomUUID } from 'node:crypto'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { createStorageClaims } from './claims.ts'
import { type KeptSettings, MAX_KEPT } from './kept-settings.ts'
import type { KnownSession } from './records.ts'
import { createSaver } from './saver.ts'
import type { SessionFacts } from './session-id.ts'
import type { SessionSettings } from './settings.ts'
import type { SessionStore } from './store.ts'

/** A session whose settings are stored. */
export interface Keepable {
  readonly facts: SessionFacts
  readonly state: SessionSettings
  /** Milliseconds since 1970. */
  usedAt: number
  /** When that was stored last. */
  savedAt: number
  /** Whether a bridge that takes the session over finds all that was set. */
  isStored: boolean
}

/** Stores what clients set, for a bridge that takes their sessions over, and sees to it that all of it together stays bounded. */
export interface Keeping {
  /** @throws RpcError when there is no room for so many bytes more */
  claim(session: Keepable, bytes: number): void
  /** Stores it within a second, or later while many others are stored. */
  soon(session: Keepable): void
  /** Takes over what is stored, unless something was set here meanwhile. */
  restore(session: Keepable): Promise<void>
  /** Stores at once what waits. */
  close(): Promise<void>
}

export interface KeepingOptions {
  readonly store: Pick<SessionStore, 'row' | 'setRow' | 'removeRow'>
  readonly kept: KeptSettings
  readonly lifeMs: number
  /** What the settings of all sessions may take, in bytes. */
  readonly mostBytes: number
  /** The sessions of this process. */
  readonly live: ReadonlyMap<string, Keepable>
  /** Whether it may not end for the sake of others. */
  readonly isBusy: (handle: string) => boolean
  /** Whether it has ended meanwhile. */
  readonly hasEnded: (handle: string) => boolean
  /** Ends a session for all bridges; it is no longer among those that are kept when this returns. */
  readonly end: (session: KnownSession) => void
}

/** A burst is one write, and a client that goes on without end one every now and then. */
const SAVING = { delayMs: 500, bytesPerSecond: 2 * 1024 * 1024 }

export function createKeeping(options: KeepingOptions): Keeping {
  const { store, kept, live, lifeMs, mostBytes, isBusy, hasEnded, end } = options
  const writer = randomUUID()
  const saver = createSaver(SAVING)
  const claims = createStorageClaims(kept)

  const findFirst = (own: string, mayBe: (one: Kept) => boolean, before: Order) => {
    const candidates = toCandidates(live, kept, lifeMs)
    return first(candidates, before, (one) => one.handle !== own && !isBusy(one.handle) && mayBe(one))
  }

  /** @returns whether there is room for one more */
  function makeRoom(own: string, bytes: number): boolean {
    if (kept.get(own) !== undefined || kept.size < MAX_KEPT) return true
    // That it is in use is not worth the end of another.
    const oldest = bytes > 0 ? findFirst(own, ({ handle }) => kept.get(handle) !== undefined, isOlder) : undefined
    if (oldest !== undefined) end(oldest)
    return oldest !== undefined
  }

  /** Whoever hears that something was stored finds it: the row comes first. @returns whether all of it could be stored */
  async function put({ facts: { handle, mintedAt }, state, usedAt, savedAt }: Keepable): Promise<boolean> {
    const expiresAt = mintedAt + lifeMs
    const { bytes } = state
    const row = { handle, ...state.toRow(), writer, usedAt, expiresAt }
    const isWritten = bytes === 0 && !kept.get(handle)?.bytes ? true : await succeeds(store.setRow(row))
    if (hasEnded(handle)) return succeeds(store.removeRow(handle))
    // Without a store what is set lasts as long as this process, and counts all the same.
    const isCounted = succeeds(kept.set(handle, { bytes, savedAt, expiresAt }))
    // What was set meanwhile is written next.
    claims.set(handle, saver.isWaiting(handle) ? state.bytes : 0)
    return (await isCounted) && isWritten
  }

  async function write(session: Keepable): Promise<number> {
    const { handle } = session.facts
    if (hasEnded(handle) || !makeRoom(handle, session.state.bytes)) {
      claims.set(handle, 0)
      return 0
    }
    session.savedAt = Math.max(session.usedAt, (kept.get(handle)?.savedAt ?? 0) + 1)
    const isStored = await put(session)
    session.isStored = isStored && !saver.isWaiting(handle)
    return session.state.bytes
  }

  async function restore(session: Keepable): Promise<void> {
    const row = await store.row(session.facts.handle).catch(() => undefined)
    if (row !== undefined && !saver.isWaiting(session.facts.handle)) session.state.adopt(row)
  }

  return {
    claim({ facts: { handle }, state }, bytes) {
      const wanted = state.bytes + bytes
      while (kept.bytes + claims.bytes + claims.growth(handle, wanted) > mostBytes) {
        const largest = findFirst(handle, () => true, isLarger)
        if (largest === undefined || largest.bytes <= state.bytes) {
          throw new RpcError(
            RPC.overloaded,
            'The subscriptions of all sessions take too much: unsubscribe from some, or try again later',
          )
        }
        end(largest)
        claims.set(largest.handle, 0)
      }
      claims.set(handle, wanted)
    },
    soon(session) {
      session.isStored = false
      saver.soon(session.facts.handle, () => write(session))
    },
    restore,
    close: saver.close,
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}

type Kept = KnownSession & { readonly bytes: number; readonly savedAt: number }
type Order = (one: Kept, other: Kept) => boolean

/** All that have settings: those that are here as they are by now. */
function* toCandidates(live: ReadonlyMap<string, Keepable>, kept: KeptSettings, lifeMs: number): Generator<Kept> {
  for (const { facts, state, usedAt: savedAt } of live.values()) {
    const { handle, mintedAt } = facts
    if (state.bytes > 0) yield { handle, bytes: state.bytes, savedAt, expiresAt: mintedAt + lifeMs }
  }
  for (const [handle, session] of kept.entries()) if (!live.has(handle)) yield { handle, ...session }
}

const isOlder: Order = (one, other) => one.savedAt < other.savedAt
const isLarger: Order = (one, other) => one.bytes > other.bytes

/** The first in an order, of those that may be it. */
function first(all: Iterable<Kept>, isBefore: Order, mayBe: (one: Kept) => boolean): Kept | undefined {
  let found: Kept | undefined
  for (const one of all) if (mayBe(one) && (found === undefined || isBefore(one, found))) found = one
  return found
}
