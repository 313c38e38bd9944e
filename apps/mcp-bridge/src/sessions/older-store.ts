import type { Logger, StateRow } from '@iii/sdk'
import { type KeptSettings, MAX_KEPT } from './kept-settings.ts'
import { createLease } from './lease.ts'
import { createSettings } from './settings.ts'
import { SESSION_SCOPES, type SessionStore, toSessionRow } from './store.ts'
import type { Tombstones } from './tombstones.ts'

/**
 * What a bridge of an older version has stored, which kept no index: rows of sessions that have ended, and rows of settings, of any number
 * and size. What is still worth something is taken over, the rest is removed, and so is what nobody knows of.
 */
export interface OlderStore {
  /** Whether all of it is taken over. */
  readonly isDone: boolean
  /** Whether a bridge of an older version has ended this session. It asks the store as long as that is not taken over. */
  hasEnded(handle: string): Promise<boolean>
  /** Takes it over, unless that is done, or somebody does it. To be called again and again; never rejects. */
  takeOver(): Promise<void>
}

export interface OlderStoreOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart' | 'wasEnded' | 'scopes' | 'stream' | 'drop'>
  readonly ended: Tombstones
  readonly kept: KeptSettings
  readonly settingsBytes: number
  readonly lifeMs: number
  readonly idleMs: number
  readonly now: () => number
  readonly log: Logger
}

/** What is removed after one reading: the last rows first, since the engine moves up what lies behind a row that goes. */
const REMOVED_AT_ONCE = 50_000
/** The engine copies all of it for each reading. */
const MOST_READINGS = 40
const MOST_TRIES = 5
const TRY_AGAIN_MS = 300_000
const STORED_AT_ONCE = 1_000
const OLDER_SCOPES: readonly string[] = [SESSION_SCOPES.ended, SESSION_SCOPES.settings]
const HANDLE = /"handle": ?"([A-Za-z0-9_-]{1,64})"/
const EXPIRY = /"expires_at": ?(\d{1,16})\b/

export function createOlderStore(options: OlderStoreOptions): OlderStore {
  const { store, ended, kept, settingsBytes, lifeMs, idleMs, now, log } = options
  // Each reading costs the engine what the scope takes, more than once.
  const lease = createLease({ store, key: 'older-store', forMs: TRY_AGAIN_MS, now })
  let isRunning = false
  let endsAreDone = false
  let isDone = false
  let tries = 0
  let triedAt = Number.NEGATIVE_INFINITY

  function endOlder(handle: string, expiresAt: number, writes: Promise<unknown>[]): void {
    if (expiresAt > now() && !ended.has(handle) && !ended.isCrowded) later(writes, ended.add(handle, expiresAt))
  }

  /** @returns whether the row may go */
  function takeEnded({ text }: StateRow, handle: string, writes: Promise<unknown>[]): boolean {
    endOlder(handle, Math.min(toExpiry(text), now() + lifeMs), writes)
    return true
  }

  function takeSettings(row: StateRow, handle: string, writes: Promise<unknown>[]): boolean {
    if (kept.get(handle) !== undefined) return false
    const { bytes, savedAt, expiresAt } = toKept(row, now() + lifeMs)
    if (expiresAt <= now() || ended.has(handle)) return true
    const fits = bytes !== undefined && kept.size < MAX_KEPT && kept.bytes + bytes <= settingsBytes
    if (fits && savedAt + idleMs > now()) later(writes, kept.set(handle, { bytes, savedAt, expiresAt }))
    // Its client must not go on as if it still had them.
    else endOlder(handle, expiresAt, writes)
    return kept.get(handle) === undefined
  }

  /** @returns how many rows it has removed */
  async function readOnce(scope: string, take: typeof takeEnded): Promise<number> {
    const names = createLastOf(REMOVED_AT_ONCE)
    let writes: Promise<unknown>[] = []
    for await (const row of store.stream(scope)) {
      const handle = HANDLE.exec(row.text)?.[1]
      if (handle !== undefined && take(row, handle, writes)) names.add(handle)
      if (writes.length >= STORED_AT_ONCE) writes = await settle(writes)
    }
    await settle(writes)
    const last = names.reversed()
    await store.drop(scope, last)
    return last.length
  }

  async function run(scopes: readonly string[]): Promise<void> {
    let removed = 0
    const { ended: ends, settings } = SESSION_SCOPES
    if (scopes.includes(ends)) removed += await readAll(() => readOnce(ends, takeEnded))
    endsAreDone = true
    if (scopes.includes(settings)) removed += await readAll(() => readOnce(settings, takeSettings))
    isDone = true
    if (removed > 0) log.info({ removed }, 'what an older version has stored about sessions is taken over')
  }

  /** A connection that comes and goes makes every worker look what has changed: none where there is nothing to read. */
  async function tryOnce(): Promise<void> {
    const scopes = (await store.scopes()).filter((scope) => OLDER_SCOPES.includes(scope))
    const work = async () => {
      tries += 1
      triedAt = now()
      await run(scopes)
    }
    await (scopes.length === 0 ? work() : lease.run(work))
  }

  return {
    get isDone() {
      return isDone
    },
    async hasEnded(handle) {
      return !endsAreDone && (await store.wasEnded(handle).catch(() => false))
    },
    async takeOver() {
      if (isRunning || isDone || tries >= MOST_TRIES || now() - triedAt < TRY_AGAIN_MS) return
      isRunning = true
      try {
        await tryOnce()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        log.warn({ reason }, 'what an older version has stored about sessions could not be read; trying again later')
      } finally {
        isRunning = false
      }
    },
  }
}

/** Waits for a write later; one that fails meanwhile must not end the process. */
function later(writes: Promise<unknown>[], write: Promise<unknown>): void {
  write.catch(() => undefined)
  writes.push(write)
}

/** Reads until a reading has nothing to remove. @returns how many rows were removed */
async function readAll(readOnce: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let readings = 0; readings < MOST_READINGS; readings++) {
    const last = await readOnce()
    removed += last
    if (last === 0) break
  }
  return removed
}

/** @throws what one of them throws @returns no writes */
async function settle(writes: readonly Promise<unknown>[]): Promise<[]> {
  await Promise.all(writes)
  return []
}

function createLastOf(most: number) {
  let names: string[] = []
  return {
    add(name: string): void {
      names.push(name)
      if (names.length >= 2 * most) names = names.slice(-most)
    },
    reversed: () => names.slice(-most).reverse(),
  }
}

/** What is known of a row of settings; `bytes` is undefined where they are more than a session may have. */
function toKept({ text, isWhole }: StateRow, atLatest: number) {
  const row = isWhole ? toSessionRow(JSON.parse(text)) : undefined
  if (row === undefined) return { bytes: undefined, savedAt: 0, expiresAt: Math.min(toExpiry(text), atLatest) }
  const settings = createSettings(row.handle)
  settings.adopt(row)
  const fits = settings.subscriptions.size === new Set(row.subscriptions).size
  return {
    bytes: fits ? settings.bytes : undefined,
    savedAt: row.usedAt,
    expiresAt: Math.min(row.expiresAt, atLatest),
  }
}

function toExpiry(text: string): number {
  return Number(EXPIRY.exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
}
