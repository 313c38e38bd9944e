import type { Logger } from '@iii/sdk'
import { isObject } from '../rpc.ts'
import { createSessionKeys } from './keys.ts'
import { SESSION_SCOPES, type SessionStore, type Tombstone } from './store.ts'
import { mintToken, type Session } from './token.ts'

/**
 * Sessions of the older revisions. Nothing is kept per session: the id says all about it, and any bridge on the engine reads it,
 * so that a restarted one or a twin goes on where another stopped.
 */
export interface Sessions {
  /** Learns what the bridges of this engine share. Never rejects: without a store it goes on with a key of its own. */
  load(): Promise<void>
  /** @returns the id of a new session */
  mint(asked: Pick<Session, 'revision' | 'capabilities' | 'client'>): string
  /** @returns undefined for an id that is forged, ended or expired */
  read(id: string): Promise<Session | undefined>
  /** @returns false when there is no such session */
  end(id: string): Promise<boolean>
  /** Takes in a write to the store that some bridge made. */
  observe(event: unknown): void
}

export interface SessionsOptions {
  readonly store: SessionStore
  readonly log: Logger
  /** @default Date.now */
  readonly now?: () => number
}

/** Many clients never initialise again, so it is long. */
export const SESSION_LIFE_MS = 7 * 24 * 3_600_000
const MAX_REMEMBERED = 1_000
const MAX_TOMBSTONES = 10_000

export function createSessions({ store, log, now = Date.now }: SessionsOptions): Sessions {
  const keys = createSessionKeys(store)
  const ended = new Map<string, Tombstone>()
  const remembered = new Map<string, Session>()

  async function loadEnded(): Promise<void> {
    const stored = await store.ended()
    for (const tombstone of stored) ended.set(tombstone.handle, tombstone)
    prune()
    const known = new Set(stored.map((tombstone) => tombstone.handle))
    for (const tombstone of ended.values()) if (!known.has(tombstone.handle)) await store.addEnded(tombstone)
  }

  /** Drops what has expired, and the oldest of too many. */
  function prune(): void {
    for (const { handle, expiresAt } of ended.values()) {
      if (expiresAt > now() && ended.size <= MAX_TOMBSTONES) continue
      ended.delete(handle)
      store.removeEnded(handle).catch(() => undefined)
    }
  }

  function remember(id: string, session: Session): void {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(id, session)
  }

  async function read(id: string): Promise<Session | undefined> {
    const session = remembered.get(id) ?? (await keys.read(id))
    if (session === undefined) return undefined
    remember(id, session)
    return now() < session.mintedAt + SESSION_LIFE_MS && !ended.has(session.handle) ? session : undefined
  }

  return {
    load: () =>
      keys
        .load()
        .then(loadEnded)
        .catch((error: unknown) => sayAlone(error, log)),
    mint(asked) {
      const { token, session } = mintToken(asked, keys.signing(), now())
      remember(token, session)
      return token
    },
    read,
    async end(id) {
      const session = await read(id)
      if (session === undefined) return false
      const tombstone = { handle: session.handle, expiresAt: session.mintedAt + SESSION_LIFE_MS }
      ended.set(tombstone.handle, tombstone)
      prune()
      await store.addEnded(tombstone).catch((error: unknown) => sayAlone(error, log))
      return true
    },
    observe(event) {
      if (!isObject(event)) return
      if (event['scope'] === SESSION_SCOPES.keys) keys.load().catch(() => undefined)
      const tombstone = event['scope'] === SESSION_SCOPES.ended ? toTombstone(event['new_value']) : undefined
      if (tombstone !== undefined) ended.set(tombstone.handle, tombstone)
    },
  }
}

function toTombstone(row: unknown): Tombstone | undefined {
  if (!isObject(row)) return undefined
  const { handle, expires_at: expiresAt } = row
  return typeof handle === 'string' && typeof expiresAt === 'number' ? { handle, expiresAt } : undefined
}

function sayAlone(error: unknown, log: Logger): void {
  const reason = error instanceof Error ? error.message : String(error)
  log.warn({ reason }, 'engine state is not available: sessions are known to this process alone and end with it')
}
