import { isRecord } from '@iii/protocol'
import { type Logger, messageOf, within } from '@iii/sdk'
import { isHandle } from './believable.ts'
import { createKeptSettings, type KeptSession, type KeptSettings, SAVE_EVERY_MS } from './kept-settings.ts'
import { createOlderStore } from './older-store.ts'
import { SESSION_SCOPES, type SessionScope, type SessionStore } from './store.ts'
import { createTombstones, type Tombstones } from './tombstones.ts'

/** A session by what is known of it without its id. */
export interface KnownSession {
  readonly handle: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** What the bridges of an engine know of each other's sessions: which have ended, and which have settings. */
export interface SessionRecords {
  readonly ended: Pick<Tombstones, 'has' | 'isCrowded' | 'isFull'>
  readonly kept: KeptSettings
  /** @throws when the store cannot be read */
  load(): Promise<void>
  /** Whether it has ended, as soon as that is known. */
  hasEnded(handle: string): Promise<boolean>
  /** Ends a session for all bridges, which know it at once here. Never rejects. */
  end(session: KnownSession): Promise<void>
  /** Takes in a write to a scope of the store that some bridge made. */
  observe(scope: SessionScope, event: Readonly<Record<string, unknown>>): void
  /** Ends what bridges have left that are gone, and takes over what those of older versions have left. */
  sweep(): void
  close(): void
}

export interface SessionRecordsOptions {
  readonly store: SessionStore
  readonly log: Logger
  readonly lifeMs: number
  readonly idleMs: number
  readonly endedAtOnce: number
  readonly settingsBytes: number
  readonly now: () => number
  /** Whether a session is in use in this process. */
  readonly isHere: (handle: string) => boolean
  /** Told of each session that has ended, here or at another bridge. */
  readonly onEnd: (handle: string) => void
  /** Told of a session that another bridge has stored something of. */
  readonly onStored: (handle: string) => void
}

const SWEEP_EVERY_MS = 60_000
/** Each takes some calls to end. */
const SWEPT_AT_ONCE = 500
/** Who asks meanwhile waits: a session that has ended must not be served because that is not read yet. */
const LOADED_WITHIN_MS = 5_000

export function createSessionRecords(options: SessionRecordsOptions): SessionRecords {
  const { store, log, now, onEnd, onStored } = options
  const onForeign = createForeignWarning(log)
  const ended = createTombstones({ ...options, most: options.endedAtOnce, onLearned: forget, onForeign })
  const kept = createKeptSettings({
    ...options,
    onForeign,
    onLearned: (handle) => (ended.has(handle) ? forget(handle) : onStored(handle)),
  })
  const older = createOlderStore({ ...options, ended, kept })
  let loading: Promise<unknown> = Promise.resolve()
  let isLoaded = false

  function forget(handle: string): void {
    kept.delete(handle).catch(() => undefined)
    onEnd(handle)
  }

  async function load(): Promise<void> {
    await Promise.all([ended.load(), kept.load()])
    isLoaded = true
  }

  async function end({ handle, expiresAt }: KnownSession): Promise<void> {
    const stored = expiresAt > now() && !ended.isFull ? ended.add(handle, expiresAt) : undefined
    // A row that is written at this moment is removed by its writer.
    const mayHaveRow = kept.get(handle) !== undefined || !older.isDone
    forget(handle)
    await Promise.all([stored, mayHaveRow && store.removeRow(handle)]).catch((error: unknown) => sayAlone(error, log))
  }

  /** A bridge of an older version beside this one has ended a session. */
  function observeOlder({ handle, expires_at: expiresAt }: Readonly<Record<string, unknown>>): void {
    if (typeof handle !== 'string' || !isHandle(handle) || typeof expiresAt !== 'number' || ended.has(handle)) return
    void end({ handle, expiresAt: Math.min(expiresAt, now() + options.lifeMs) })
  }

  function sweep(): void {
    ended.sweep()
    if (isLoaded) void older.takeOver()
    const gone = [...kept.entries()].filter(([handle, session]) => !options.isHere(handle) && isGone(session, options))
    for (const [handle, { expiresAt }] of gone.slice(0, SWEPT_AT_ONCE)) void end({ handle, expiresAt })
  }

  const sweeps = setInterval(sweep, SWEEP_EVERY_MS).unref()

  return {
    ended,
    kept,
    load() {
      const loaded = load()
      loading = loaded.catch(() => undefined)
      return loaded
    },
    async hasEnded(handle) {
      await within(LOADED_WITHIN_MS, loading)
      return ended.has(handle) || (await older.hasEnded(handle))
    },
    end,
    observe(scope, { key, new_value: value }) {
      if (!isRecord(value)) return
      if (scope === SESSION_SCOPES.ended) observeOlder(value)
      if (scope !== SESSION_SCOPES.index || typeof key !== 'string') return
      ended.observe(key, value)
      kept.observe(key, value)
    },
    sweep,
    close() {
      clearInterval(sweeps)
      older.close()
    },
  }
}

/** A session that is in use says so every now and then. */
function isGone(
  { savedAt, expiresAt }: KeptSession,
  { idleMs, now }: Pick<SessionRecordsOptions, 'idleMs' | 'now'>,
): boolean {
  return expiresAt <= now() || savedAt + idleMs + 2 * SAVE_EVERY_MS < now()
}

/** Says it once: somebody who goes on would fill the log. */
function createForeignWarning(log: Logger): (key: string) => void {
  let isSaid = false
  return (key) => {
    if (isSaid) return
    isSaid = true
    log.warn(
      { scope: SESSION_SCOPES.index, key },
      'something else than a bridge has written into engine state what no bridge says of sessions; it does not count',
    )
  }
}

export function sayAlone(error: unknown, log: Logger): void {
  const reason = messageOf(error)
  log.warn({ reason }, 'engine state is not available: sessions are known to this process alone and end with it')
}
