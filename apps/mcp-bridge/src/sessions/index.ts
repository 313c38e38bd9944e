import type { Logger } from '@iii/sdk'
import { isObject } from '../rpc.ts'
import { createSessionKeys, type SessionKeys } from './keys.ts'
import { createLiveSessions, type LiveSession } from './live.ts'
import { SESSION_SCOPES, type SessionStore, type Tombstone, toSessionRow } from './store.ts'
import { mintToken, type Session } from './token.ts'
import { createTombstones, toTombstone } from './tombstones.ts'

export type { LiveSession } from './live.ts'

/**
 * Sessions of the older revisions. The id says who the client is, any bridge on the engine reads it, and what the client sets is in
 * engine state, so that a restarted bridge or a twin goes on where another stopped.
 */
export interface Sessions {
  /** What the bridges of this engine seal with. */
  readonly keys: Pick<SessionKeys, 'signing' | 'find'>
  /** Learns what the bridges of this engine share. Never rejects: without a store it goes on with a key of its own. */
  load(): Promise<void>
  /** @returns the id of a new session */
  mint(asked: Pick<Session, 'revision' | 'capabilities' | 'client'>): string
  /** @returns the session, taken over where another bridge served it; undefined for an id that is forged, ended or expired */
  enter(id: string): Promise<LiveSession | undefined>
  /** @returns false when there is no such session */
  end(id: string): Promise<boolean>
  /** Takes in a write to the store that some bridge made. */
  observe(event: unknown): void
  /** How many are live in this process. */
  readonly size: number
  close(): void
}

export interface SessionsOptions {
  readonly store: SessionStore
  readonly log: Logger
  /** How long a session may be unused. @default 24 hours */
  readonly idleMs?: number
  /** How many may live in this process; beyond that the one that was unused for longest ends. @default 10000 */
  readonly atOnce?: number
  /** @default Date.now */
  readonly now?: () => number
}

/** Many clients never initialise again, so it is long. */
export const SESSION_LIFE_MS = 7 * 24 * 3_600_000
const MAX_REMEMBERED = 1_000

export function createSessions(options: SessionsOptions): Sessions {
  const { store, log, idleMs = 24 * 3_600_000, atOnce = 10_000, now = Date.now } = options
  const live = createLiveSessions({ store, end, lifeMs: SESSION_LIFE_MS, idleMs, atOnce, now })
  const keys = createSessionKeys(store)
  const ended = createTombstones(store, now)
  const remembered = new Map<string, Session>()

  async function load(): Promise<void> {
    await keys.load()
    await ended.load()
    for (const { handle, expiresAt } of await store.rows()) if (expiresAt <= now()) await store.removeRow(handle)
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

  async function end({ handle, mintedAt }: Session): Promise<void> {
    const stored = ended.add({ handle, expiresAt: mintedAt + SESSION_LIFE_MS })
    live.leave(handle)
    await stored.catch((error: unknown) => sayAlone(error, log))
    await store.removeRow(handle).catch(() => undefined)
  }

  function observeEnd(tombstone: Tombstone | undefined): void {
    if (tombstone === undefined) return
    ended.learn(tombstone)
    live.leave(tombstone.handle)
  }

  return {
    keys,
    load: () => load().catch((error: unknown) => sayAlone(error, log)),
    mint(asked) {
      const { token, session } = mintToken(asked, keys.signing(), now())
      remember(token, session)
      live.begin(session)
      return token
    },
    async enter(id) {
      const session = await read(id)
      return session && live.enter(session)
    },
    async end(id) {
      const session = await read(id)
      if (session === undefined) return false
      await end(session)
      return true
    },
    observe(event) {
      if (!isObject(event)) return
      const { scope, new_value: value } = event
      if (scope === SESSION_SCOPES.keys) keys.load().catch(() => undefined)
      if (scope === SESSION_SCOPES.ended) observeEnd(toTombstone(value))
      const row = scope === SESSION_SCOPES.settings ? toSessionRow(value) : undefined
      if (row !== undefined) live.adopt(row)
    },
    get size() {
      return live.size
    },
    close: live.close,
  }
}

function sayAlone(error: unknown, log: Logger): void {
  const reason = error instanceof Error ? error.message : String(error)
  log.warn({ reason }, 'engine state is not available: sessions are known to this process alone and end with it')
}
