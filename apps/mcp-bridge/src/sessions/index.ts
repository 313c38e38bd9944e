import { isRecord } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import { createRate } from '../auth/rate.ts'
import type { SessionState } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { createFingerprints, type Fingerprints, isFingerprint } from './fingerprint.ts'
import { createSessionKeys } from './keys.ts'
import { createLiveSessions, type LiveSession } from './live.ts'
import { createSessionRecords, sayAlone } from './records.ts'
import type { SealKeys } from './request-state-seal.ts'
import { mintSessionId, type SessionFacts } from './session-id.ts'
import { SESSION_SCOPES, type SessionScope, type SessionStore } from './store.ts'

export type { LiveSession } from './live.ts'

/**
 * Sessions of the older revisions. The id says who the client is, any bridge on the engine reads it, and what the client sets is in
 * engine state, so that a restarted bridge or a twin goes on where another stopped.
 */
export interface Sessions {
  /** Marks what belongs to somebody, for all bridges of this engine. */
  readonly fingerprints: Fingerprints
  /** What the bridges of this engine seal with. */
  readonly keys: SealKeys
  /** Learns what the bridges of this engine share. Never rejects: without a store it goes on with a key of its own. */
  load(): Promise<void>
  /** Learns what they seal with, and nothing else: for a process that serves no sessions. Never rejects. */
  loadKeys(): Promise<void>
  /** @returns the id of a new session @throws RpcError `overloaded` when too many have ended */
  mint(asked: Pick<SessionFacts, 'revision' | 'capabilities' | 'client'>, principal: Principal): string
  /** @returns the session, taken over where another bridge served it; undefined for an id that is forged, ended, expired or somebody else's */
  enter(id: string, principal: Principal): Promise<LiveSession | undefined>
  /** @returns false when there is no such session @throws RpcError `overloaded` when too many have ended */
  end(id: string, principal: Principal): Promise<boolean>
  /** Takes in a write to a scope of the store that some bridge made. */
  observe(scope: SessionScope, event: unknown): void
  /** What is set in those of a principal that live in this process. */
  statesOf(principal: Principal): Iterable<SessionState>
  /** How many are live in this process. */
  readonly size: number
  /** Stores what clients have set a moment ago. */
  close(): Promise<void>
}

export interface SessionsOptions {
  readonly store: SessionStore
  readonly log: Logger
  /** How long a session may be unused. @default 24 hours */
  readonly idleMs?: number
  /** How many this process remembers; beyond that it forgets those that are missed least. @default 10000 */
  readonly atOnce?: number
  /** How many may have ended before their time; beyond that no new one begins. @default 200000 */
  readonly endedAtOnce?: number
  /** What the settings of all sessions may take. @default 64 MiB */
  readonly settingsBytes?: number
  /** Told of each that has ended while it was in this process. @param ms how long it was */
  readonly onEnd?: (ms: number) => void
  /** @default Date.now */
  readonly now?: () => number
}

/** Many clients never initialise again, so it is long. */
export const SESSION_LIFE_MS = 7 * 24 * 3_600_000
const DEFAULTS = { idleMs: 24 * 3_600_000, atOnce: 10_000, endedAtOnce: 200_000, settingsBytes: 64 * 1024 * 1024 }
const MAX_REMEMBERED = 1_000
const RETRY_SECONDS = 60
/** What one principal may have ended at once, of all that may have: as much again comes back while a session would live. */
const SHARE = 1 / 4

export function createSessions({ now = Date.now, ...given }: SessionsOptions): Sessions {
  const options = { ...DEFAULTS, ...given, now, lifeMs: SESSION_LIFE_MS }
  const { store, log } = options
  const keys = createSessionKeys(store)
  const records = createSessionRecords({
    ...options,
    isHere: (handle) => live.has(handle),
    onEnd: (handle) => tellEnd(live.leave(handle), options),
    onStored: (handle) => live.refresh(handle),
  })
  const { ended } = records
  const live = createLiveSessions({ ...options, ...records, end: (session) => void records.end(session) })
  const [remembered, mayEnd] = [new Map<string, SessionFacts>(), createShares(options.endedAtOnce)]

  async function load(): Promise<void> {
    await keys.load()
    await records.load()
    live.sweep()
    records.sweep()
  }

  function remember(id: string, session: SessionFacts): void {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(id, session)
  }

  async function read(id: string, principal: Principal): Promise<SessionFacts | undefined> {
    const session = remembered.get(id) ?? (await keys.read(id))
    if (session === undefined || !(await isOf(session, principal, keys))) return undefined
    remember(id, session)
    const { handle, mintedAt } = session
    if (now() >= mintedAt + SESSION_LIFE_MS) return undefined
    return live.has(handle) || !(await records.hasEnded(handle)) ? session : undefined
  }

  return {
    ...{ keys, statesOf: ({ id }: Principal) => live.statesOf(id) },
    fingerprints: createFingerprints(keys),
    load: () => load().catch((error: unknown) => sayAlone(error, log)),
    loadKeys: () => keys.load().catch((error: unknown) => sayAlone(error, log)),
    mint(asked, principal) {
      if (ended.isCrowded) throw tooManyEnded('begins')
      const { id, session } = mintSessionId(asked, { key: keys.signing(), principal, now: now() })
      remember(id, session)
      live.begin(session, principal.id)
      return id
    },
    async enter(id, principal) {
      const session = await read(id, principal)
      // One that has ended is not among those of this process any more.
      const here = session && live.find(session.handle)
      if (session === undefined || here !== undefined) return here
      const entered = await live.takeOver(session, principal.id)
      // Another bridge may have ended it meanwhile.
      if (!ended.has(session.handle)) return entered
      live.leave(session.handle)
      return undefined
    },
    async end(id, principal) {
      const session = await read(id, principal)
      if (session === undefined) return false
      if (ended.isFull || !mayEnd(principal)) throw tooManyEnded('ends')
      await records.end({ handle: session.handle, expiresAt: session.mintedAt + SESSION_LIFE_MS })
      return true
    },
    observe(scope, event) {
      if (!isRecord(event)) return
      if (scope === SESSION_SCOPES.keys) keys.load().catch(() => undefined)
      records.observe(scope, event)
    },
    get size() {
      return live.size
    },
    async close() {
      records.close()
      await live.close()
    },
  }
}

function tellEnd(
  left: LiveSession | undefined,
  { onEnd, now = Date.now }: Pick<SessionsOptions, 'onEnd' | 'now'>,
): void {
  if (left !== undefined) onEnd?.(now() - left.facts.mintedAt)
}

/** One that ends its sessions all day must not keep others from beginning theirs, which none can where too many have ended. */
function createShares(endedAtOnce: number): (principal: Principal) => boolean {
  const ends = createRate()
  const burst = Math.max(1, Math.floor(endedAtOnce * SHARE))
  const allowed = { burst, perSecond: burst / (SESSION_LIFE_MS / 1_000) }
  return ({ id, method }) => method === 'off' || ends.take(id, allowed) === undefined
}

/** A session is its principal's alone, also one that was begun when nobody was asked who they are. */
async function isOf({ owner }: SessionFacts, principal: Principal, keys: Pick<SealKeys, 'find'>): Promise<boolean> {
  if (owner === undefined || principal.method === 'off') return owner === undefined && principal.method === 'off'
  const key = await keys.find(owner.keyId)
  return key !== undefined && isFingerprint(owner.fingerprint, principal, key)
}

function tooManyEnded(what: 'begins' | 'ends'): RpcError {
  const problem = `Too many sessions have ended before their time: none ${what} until some of them have expired; try again later`
  return new RpcError(RPC.overloaded, problem, { retry_after_seconds: RETRY_SECONDS })
}
