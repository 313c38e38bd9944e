import { randomUUID } from 'node:crypto'
import { ENDED } from '../exchange.ts'
import type { RpcError, RpcId } from '../rpc.ts'
import { createSettings, type SessionSettings } from './settings.ts'
import type { SessionRow, SessionStore } from './store.ts'
import type { Session } from './token.ts'

/** A session that this bridge serves at the moment. */
export interface LiveSession {
  readonly facts: Session
  readonly state: SessionSettings
  /** Requests under way, by the id that the client gave them: how to give each up. */
  readonly calls: Map<RpcId, (reason: RpcError) => void>
  /** How many streams are open beside them. */
  openStreams: number
  /** Anybody can begin a session; one that had a reply to more than that is worth more. */
  hasFinishedARequest: boolean
  /** What is to be done when it is over. */
  readonly onEnd: Set<() => void>
}

/** The sessions of this process. One that is not here may still live: its id says all that it needs to be served. */
export interface LiveSessions {
  /** Finds it, or takes it over from another bridge with what was set there. */
  enter(session: Session): Promise<LiveSession>
  /** Makes room for a new one. */
  begin(session: Session): LiveSession
  /** It is over: ends what belongs to it. */
  leave(handle: string): void
  /** Takes in what another bridge has stored. */
  adopt(row: SessionRow): void
  readonly size: number
  close(): void
}

export interface LiveOptions {
  readonly store: SessionStore
  /** Ends a session for all bridges. */
  readonly end: (session: Session) => Promise<void>
  readonly lifeMs: number
  /** So long a session may be unused. */
  readonly idleMs: number
  /** So many may live in this process; beyond that the one that was unused for longest ends. */
  readonly atOnce: number
  readonly now: () => number
}

interface Entry extends LiveSession {
  usedAt: number
  savedAt: number
}

/** How often it is stored that a session is in use, so that no other bridge takes it for idle. */
const SAVE_EVERY_MS = 3_600_000
const SWEEP_EVERY_MS = 60_000

export function createLiveSessions({ store, end, lifeMs, idleMs, atOnce, now }: LiveOptions): LiveSessions {
  const writer = randomUUID()
  /** The longest unused first. */
  const all = new Map<string, Entry>()
  const entering = new Map<string, Promise<LiveSession>>()

  async function save(entry: Entry): Promise<void> {
    entry.savedAt = now()
    const { facts, state, usedAt } = entry
    const row = { handle: facts.handle, ...state.toRow(), writer, usedAt, expiresAt: facts.mintedAt + lifeMs }
    // Without a store what is set lasts as long as this process.
    await store.setRow(row).catch(() => undefined)
  }

  function add(facts: Session): Entry {
    const entry: Entry = toEntry(facts, now(), () => save(entry))
    all.set(facts.handle, entry)
    for (const old of all.values()) {
      if (all.size <= atOnce) break
      if (old !== entry && !isBusy(old)) void retire(old)
    }
    return entry
  }

  function use(entry: Entry): LiveSession {
    entry.usedAt = now()
    all.delete(entry.facts.handle)
    all.set(entry.facts.handle, entry)
    if (entry.usedAt - entry.savedAt >= SAVE_EVERY_MS) void save(entry)
    return entry
  }

  async function takeOver(facts: Session): Promise<LiveSession> {
    const row = await store.row(facts.handle).catch(() => undefined)
    const entry = add(facts)
    if (row !== undefined) entry.state.adopt(row)
    return entry
  }

  function leave(handle: string): void {
    const entry = all.get(handle)
    all.delete(handle)
    if (entry !== undefined) finish(entry)
  }

  /** Ends a session that is not used here, unless another bridge uses it. */
  async function retire({ facts }: Entry): Promise<void> {
    leave(facts.handle)
    const row = await store.row(facts.handle).catch(() => undefined)
    if (row === undefined || row.usedAt + idleMs < now()) await end(facts)
  }

  const sweeps = setInterval(() => {
    for (const entry of all.values()) {
      if (entry.usedAt + idleMs > now()) break
      if (isBusy(entry)) use(entry)
      else void retire(entry)
    }
  }, SWEEP_EVERY_MS).unref()

  return {
    get size() {
      return all.size
    },
    async enter(session) {
      const { handle } = session
      const entry = all.get(handle)
      if (entry !== undefined) return use(entry)
      const under = entering.get(handle) ?? takeOver(session).finally(() => entering.delete(handle))
      entering.set(handle, under)
      return under
    },
    begin: add,
    leave,
    adopt(row) {
      // What comes back of our own may be older than what is here.
      if (row.writer !== writer) all.get(row.handle)?.state.adopt(row)
    },
    close: () => clearInterval(sweeps),
  }
}

function toEntry(facts: Session, now: number, save: () => Promise<void>): Entry {
  const state = createSettings(facts.handle, save)
  const fresh = { calls: new Map(), openStreams: 0, hasFinishedARequest: false, onEnd: new Set<() => void>() }
  return { facts, state, ...fresh, usedAt: now, savedAt: now }
}

function finish({ calls, onEnd }: LiveSession): void {
  for (const giveUp of calls.values()) giveUp(ENDED)
  for (const done of onEnd) done()
  onEnd.clear()
}

function isBusy({ calls, openStreams }: LiveSession): boolean {
  return calls.size > 0 || openStreams > 0
}
