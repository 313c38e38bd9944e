import { type Logger, messageOf } from '@iii/sdk'
import { createLease } from './lease.ts'
import { createOlderRows, type OlderRowsOptions, type TakeRow } from './older-rows.ts'
import { SESSION_SCOPES, type SessionScope, type SessionStore } from './store.ts'

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
  close(): void
}

export interface OlderStoreOptions extends OlderRowsOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart' | 'wasEnded' | 'scopes' | 'stream' | 'drop'>
  readonly log: Logger
}

/** What is removed after one reading: the last rows first, since the engine moves up what lies behind a row that goes. */
const REMOVED_AT_ONCE = 50_000
/** The engine copies all of it for each reading. */
const MOST_READINGS = 40
const MOST_TRIES = 5
const TRY_AGAIN_MS = 300_000
/** A bridge that was killed over it keeps others from it for so long. */
const LEASE_MS = 30_000
const STORED_AT_ONCE = 1_000
const OLDER_SCOPES: readonly SessionScope[] = [SESSION_SCOPES.ended, SESSION_SCOPES.settings]
const HANDLE = /"handle": ?"([A-Za-z0-9_-]{1,64})"/

export function createOlderStore(options: OlderStoreOptions): OlderStore {
  const { store, now, log } = options
  const rows = createOlderRows(options)
  // Each reading costs the engine what the scope takes, more than once.
  const lease = createLease({ store, key: 'older-store', forMs: LEASE_MS, atMostMs: TRY_AGAIN_MS, now })
  let nextTry: NodeJS.Timeout | undefined
  let isRunning = false
  let endsAreDone = false
  let isDone = false
  let tries = 0
  let triedAt = Number.NEGATIVE_INFINITY

  /** @returns how many rows it has removed */
  async function readOnce(scope: SessionScope, take: TakeRow): Promise<number> {
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

  async function run(scopes: readonly SessionScope[]): Promise<void> {
    let removed = 0
    const { ended: ends, settings } = SESSION_SCOPES
    if (scopes.includes(ends)) removed += await readAll(() => readOnce(ends, rows.takeEnded))
    endsAreDone = true
    if (scopes.includes(settings)) removed += await readAll(() => readOnce(settings, rows.takeSettings))
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
    if (scopes.length === 0) return work()
    const busyMs = await lease.run(work)
    if (busyMs > 0) nextTry = setTimeout(() => void takeOver(), Math.min(busyMs, LEASE_MS)).unref()
  }

  async function takeOver(): Promise<void> {
    if (isRunning || isDone || tries >= MOST_TRIES || now() - triedAt < TRY_AGAIN_MS) return
    clearTimeout(nextTry)
    isRunning = true
    try {
      await tryOnce()
    } catch (error) {
      const reason = messageOf(error)
      log.warn({ reason }, 'what an older version has stored about sessions could not be read; trying again later')
    } finally {
      isRunning = false
    }
  }

  return {
    get isDone() {
      return isDone
    },
    async hasEnded(handle) {
      return !endsAreDone && (await store.wasEnded(handle).catch(() => false))
    },
    takeOver,
    close() {
      clearTimeout(nextTry)
      lease.close()
    },
  }
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
