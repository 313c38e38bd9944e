import { createSlotMap, type SlotMap } from '@iii/sdk'
import { ENDED, type RequestUnderWay } from '../mcp/exchange.ts'
import { createKeeping, type Keepable, type Keeping } from './keeping.ts'
import { type KeptSettings, SAVE_EVERY_MS } from './kept-settings.ts'
import type { KnownSession } from './records.ts'
import type { SessionFacts } from './session-id.ts'
import { createSettings, type SessionSettings } from './settings.ts'
import type { SessionStore } from './store.ts'
import { createUseOrder } from './use-order.ts'

/** A session that this bridge serves at the moment. */
export interface LiveSession {
  readonly facts: SessionFacts
  /** The id of the principal whose it is. */
  readonly owner: string
  readonly state: SessionSettings
  /** Requests under way, by numbers of no meaning: several may have one id. */
  readonly calls: SlotMap<number, RequestUnderWay>
  /** How many streams are open beside them. */
  openStreams: number
  /** Anybody can begin a session; one that had a reply to more than that is worth more. */
  hasFinishedARequest: boolean
  /** It has ended: nothing that begins now would be ended with it. */
  isOver: boolean
  /** What is to be done when it is over. */
  readonly onEnd: Set<() => void>
}

/** The sessions of this process. One that is not here may still live: its id and what is stored say all that it needs to be served. */
export interface LiveSessions {
  has(handle: string): boolean
  /** One that is used now. */
  find(handle: string): LiveSession | undefined
  /** Takes it over from another bridge, with what was set there. */
  takeOver(session: SessionFacts, owner: string): Promise<LiveSession>
  /** Makes room for a new one. */
  begin(session: SessionFacts, owner: string): void
  /** What is set in those of one owner. */
  statesOf(owner: string): Iterable<SessionSettings>
  /** It is over: ends what belongs to it. @returns it, where it was here */
  leave(handle: string): LiveSession | undefined
  /** Another bridge has stored something of it. */
  refresh(handle: string): void
  /** Ends what was unused for too long. */
  sweep(): void
  readonly size: number
  /** Stores what is not stored yet. */
  close(): Promise<void>
}

export interface LiveSessionsOptions {
  readonly store: Pick<SessionStore, 'row' | 'setRow' | 'removeRow'>
  readonly kept: KeptSettings
  readonly ended: { has(handle: string): boolean }
  /** Ends a session for all bridges; it is neither here nor among those that are kept when this returns. */
  readonly end: (session: KnownSession) => void
  readonly lifeMs: number
  /** So long a session may be unused. */
  readonly idleMs: number
  /** So many may be in this process. */
  readonly atOnce: number
  /** What the settings of all sessions may take, in bytes. */
  readonly settingsBytes: number
  readonly now: () => number
}

type Entry = LiveSession & Keepable

const SWEEP_EVERY_MS = 60_000

export function createLiveSessions(options: LiveSessionsOptions): LiveSessions {
  const { store, kept, ended, end, lifeMs, idleMs, atOnce, settingsBytes, now } = options
  const { all, put, used, remove, findLeast } = createEntries()
  const keeping = createKeeping({
    store,
    kept,
    live: all,
    lifeMs,
    mostBytes: settingsBytes,
    isBusy: (handle) => isBusy(all.get(handle)),
    hasEnded: (handle) => ended.has(handle),
    end,
  })

  function add(entry: Entry): Entry {
    put(entry)
    if (all.size > atOnce) makeRoom(entry)
    return entry
  }

  /** Forgets what is missed least: where all that was set is stored, its client does not notice. */
  function makeRoom(newest: Entry): void {
    const least = findLeast((entry) => entry !== newest && !isBusy(entry))
    if (least?.isStored === true) leave(least.facts.handle)
    else if (least !== undefined) end(toKnown(least.facts))
  }

  function use(entry: Entry): LiveSession {
    entry.usedAt = now()
    used(entry)
    if (entry.usedAt - entry.savedAt >= SAVE_EVERY_MS) keeping.soon(entry)
    return entry
  }

  /** Requests that come together take it over once. */
  const takeOver = createShared(async (facts: SessionFacts, owner: string): Promise<LiveSession> => {
    const entry = toEntry({ facts, owner }, keeping, now())
    await keeping.restore(entry)
    return use(add(entry))
  })

  function leave(handle: string): LiveSession | undefined {
    const entry = all.get(handle)
    if (entry !== undefined) remove(entry)
    return entry && finish(entry)
  }

  /** Ends a session that is not used here, unless another bridge uses it. */
  function retire({ facts }: Entry): void {
    leave(facts.handle)
    if ((kept.get(facts.handle)?.savedAt ?? 0) + idleMs < now()) end(toKnown(facts))
  }

  function toKnown({ handle, mintedAt }: SessionFacts): KnownSession {
    return { handle, expiresAt: mintedAt + lifeMs }
  }

  function sweep(): void {
    for (const entry of [...all.values()]) {
      if (isBusy(entry)) use(entry)
      else if (entry.usedAt + idleMs < now()) retire(entry)
    }
  }

  const sweeps = setInterval(sweep, SWEEP_EVERY_MS).unref()

  return {
    get size() {
      return all.size
    },
    has: (handle) => all.has(handle),
    find(handle) {
      const entry = all.get(handle)
      return entry && use(entry)
    },
    ...{ takeOver, leave, sweep },
    begin: (facts, owner) => void add(toEntry({ facts, owner }, keeping, now())),
    statesOf: (owner) => toStates(all.values(), owner),
    refresh(handle) {
      const entry = all.get(handle)
      if (entry !== undefined) void keeping.restore(entry)
    },
    async close() {
      clearInterval(sweeps)
      await keeping.close()
    },
  }
}

/** All of them, and which of them is missed least. */
function createEntries() {
  const all = new Map<string, Entry>()
  const order = createUseOrder(toWorth)
  /** Used since somebody asked for that, the longest unused first: only then is it of any use to know. */
  const touched = new Set<Entry>()

  function used(entry: Entry): void {
    touched.delete(entry)
    touched.add(entry)
  }

  function put(entry: Entry): void {
    all.set(entry.facts.handle, entry)
    used(entry)
  }

  function remove(entry: Entry): void {
    all.delete(entry.facts.handle)
    touched.delete(entry)
    order.remove(entry)
  }

  function findLeast(mayGo: (entry: Entry) => boolean): Entry | undefined {
    for (const entry of touched) order.used(entry)
    touched.clear()
    return order.findLeast(mayGo)
  }

  return { all: all as ReadonlyMap<string, Entry>, put, used, remove, findLeast }
}

function* toStates(entries: Iterable<Entry>, owner: string): Generator<SessionSettings> {
  for (const entry of entries) if (entry.owner === owner) yield entry.state
}

function toEntry({ facts, owner }: Pick<Entry, 'facts' | 'owner'>, keeping: Keeping, now: number): Entry {
  const state = createSettings(facts.handle, {
    claim: (bytes) => keeping.claim(entry, bytes),
    onChange: () => keeping.soon(entry),
  })
  const entry: Entry = { ...toLiveSession({ facts, owner, state }), usedAt: now, savedAt: now, isStored: true }
  return entry
}

/** A session in which nothing has happened yet. @param calls where its requests under way are */
export function toLiveSession(
  { facts, owner, state }: Pick<LiveSession, 'facts' | 'owner' | 'state'>,
  calls: LiveSession['calls'] = createSlotMap(),
): LiveSession {
  return { facts, owner, state, calls, openStreams: 0, hasFinishedARequest: false, isOver: false, onEnd: new Set() }
}

function createShared<T>(
  work: (facts: SessionFacts, owner: string) => Promise<T>,
): (facts: SessionFacts, owner: string) => Promise<T> {
  const under = new Map<string, Promise<T>>()
  return (facts, owner) => {
    const { handle } = facts
    const shared = under.get(handle) ?? work(facts, owner).finally(() => under.delete(handle))
    under.set(handle, shared)
    return shared
  }
}

/** How much its client would miss it: nothing, what a stream may be resumed with, or what was set. */
function toWorth({ hasFinishedARequest, state }: Entry): 0 | 1 | 2 {
  if (state.bytes > 0) return 2
  return hasFinishedARequest ? 1 : 0
}

function finish(session: LiveSession): LiveSession {
  const { calls, onEnd } = session
  session.isOver = true
  for (const { abort } of calls.values()) abort(ENDED)
  for (const done of onEnd) done()
  onEnd.clear()
  return session
}

function isBusy(session: LiveSession | undefined): boolean {
  return session !== undefined && (session.calls.size > 0 || session.openStreams > 0)
}
