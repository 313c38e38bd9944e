import { isRecord, STATE_SCOPES, toScope } from '@iii/protocol'
import { createStateScope, type StateRow, streamStateRows, TriggerAction, type Worker } from '@iii/sdk'
import { z } from 'zod'
import type { SealKey } from './request-state-seal.ts'

/**
 * Where all bridges of a namespace keep what they must share about sessions. Everybody but the store speaks of them by these names, wherever
 * the rows of a namespace are.
 */
export const SESSION_SCOPES = {
  keys: STATE_SCOPES.mcp.sessionKeys,
  /** Which sessions have ended, and which have settings: see `table.ts`. */
  index: STATE_SCOPES.mcp.sessionIndex,
  /** A row for each session that has set something. Only what older versions left there is looked for in a list; nothing listens to it. */
  settings: STATE_SCOPES.mcp.sessionSettings,
  /** Of older versions: a row for each session that has ended. */
  ended: STATE_SCOPES.mcp.sessionsEnded,
} as const

export type SessionScope = (typeof SESSION_SCOPES)[keyof typeof SESSION_SCOPES]

/** What a bridge has to hear of. */
export const WATCHED_SCOPES = [SESSION_SCOPES.keys, SESSION_SCOPES.index, SESSION_SCOPES.ended] as const

/** What a client has set in its session. */
export interface SessionRow {
  readonly handle: string
  readonly logLevel: string
  readonly subscriptions: readonly string[]
  /** Which process wrote it. */
  readonly writer: string
  /** Milliseconds since 1970, like the next. */
  readonly usedAt: number
  readonly expiresAt: number
}

/** A part of a table. */
export type PartRow = Readonly<Record<string, unknown>>

/** Every method rejects when the engine has no state, or does not answer in time. */
export interface SessionStore {
  keys(): Promise<SealKey[]>
  /** Adds a key unless it is there; whatever two bridges do at once, both keys are kept. @returns all keys, oldest first */
  addKey(key: SealKey): Promise<SealKey[]>
  part(key: string): Promise<PartRow | undefined>
  /** Changes some members of a part and leaves the others as they are, whoever else changes it; undefined removes one. */
  changePart(key: string, changes: ReadonlyMap<string, unknown>): Promise<void>
  row(handle: string): Promise<SessionRow | undefined>
  setRow(row: SessionRow): Promise<void>
  removeRow(handle: string): Promise<void>
  /** Whether a bridge of an older version has ended it. */
  wasEnded(handle: string): Promise<boolean>
  /** Which of these scopes there are. */
  scopes(): Promise<readonly SessionScope[]>
  /** All that is in a scope, whatever its size, on a connection of its own. */
  stream(scope: SessionScope): AsyncIterable<StateRow>
  /** Removes rows without hearing of what was in them. */
  drop(scope: SessionScope, keys: readonly string[]): Promise<void>
}

const KEYS_KEY = 'keys'
/** What is dropped at once, so that the engine has time for others. */
const DROPPED_AT_ONCE = 64
/** Nobody waits for it, and an engine that has just copied a large scope is slow. */
const DROPPED_WITHIN_MS = 30_000
/** What is kept of a row while it is streamed: one that may stay is smaller. */
const MAX_STREAMED_BYTES = 48 * 1024

const SECRET_LENGTH = 44
const KeyEntry = z.object({ id: z.int().min(0).max(0xffff_ffff), secret: z.base64().length(SECRET_LENGTH) })
const SettingsRow = z.object({
  handle: z.string(),
  log_level: z.string(),
  subscriptions: z.array(z.string()),
  writer: z.string(),
  used_at: z.number(),
  expires_at: z.number(),
})

export function createSessionStore(
  engine: Pick<Worker, 'trigger' | 'url' | 'namespace'>,
  timeoutMs: number,
): SessionStore {
  const place = (scope: SessionScope) => toScope(scope, engine.namespace)
  const keys = createStateScope<unknown>(engine, place(SESSION_SCOPES.keys), { timeoutMs })
  const index = createStateScope(engine, place(SESSION_SCOPES.index), { timeoutMs })
  const settings = createStateScope(engine, place(SESSION_SCOPES.settings), { schema: SettingsRow, timeoutMs })
  const ended = createStateScope(engine, place(SESSION_SCOPES.ended), { timeoutMs })

  async function dropSome(from: SessionScope, names: readonly string[], withinMs = timeoutMs): Promise<void> {
    const action = TriggerAction.Void()
    const scope = place(from)
    for (const key of names) await engine.trigger({ function_id: 'state::delete', payload: { scope, key }, action })
    // What is waited for comes behind what is not.
    const payload = { scope: place(SESSION_SCOPES.keys), key: 'turn' }
    await engine.trigger({ function_id: 'state::get', payload, timeoutMs: withinMs })
  }

  return {
    keys: async () => toKeys(await keys.get(KEYS_KEY)),
    async addKey(key) {
      const value = { id: key.id, secret: key.secret.toString('base64') }
      const { newValue, errors } = await keys.update(KEYS_KEY, [{ type: 'append', path: 'keys', value }])
      if (errors.length === 0) return toKeys(newValue)
      // Somebody else has written there what holds no keys. A bridge that does the same at once hears of this and adds its own again.
      await keys.set(KEYS_KEY, { keys: [value] })
      return [key]
    },
    async part(key) {
      const part = await index.get(key)
      return isRecord(part) ? part : undefined
    },
    async changePart(key, changes) {
      const value: Record<string, unknown> = { key }
      for (const [name, member] of changes) if (member !== undefined) value[name] = member
      const gone = [...changes].filter(([, member]) => member === undefined)
      await index.update(key, [{ type: 'merge', value }, ...gone.map(([path]) => ({ type: 'remove', path }) as const)])
    },
    async row(handle) {
      const row = await settings.get(handle)
      return row && fromRow(row)
    },
    async setRow({ handle, logLevel, subscriptions, writer, usedAt, expiresAt }) {
      await settings.set(handle, {
        handle,
        log_level: logLevel,
        subscriptions: [...subscriptions],
        writer,
        used_at: usedAt,
        expires_at: expiresAt,
      })
    },
    removeRow: (handle) => dropSome(SESSION_SCOPES.settings, [handle]),
    wasEnded: async (handle) => (await ended.get(handle)) !== undefined,
    async scopes() {
      const listed = await engine.trigger<{ groups: string[] }>({ function_id: 'state::list_groups', timeoutMs })
      return Object.values(SESSION_SCOPES).filter((scope) => listed.groups.includes(place(scope)))
    },
    stream: (scope) => streamStateRows(engine.url, place(scope), { maxRowBytes: MAX_STREAMED_BYTES }),
    async drop(scope, names) {
      for (let at = 0; at < names.length; at += DROPPED_AT_ONCE) {
        await dropSome(scope, names.slice(at, at + DROPPED_AT_ONCE), DROPPED_WITHIN_MS)
      }
    },
  }
}

/** Those that a bridge has written; whoever reaches the engine can write here. */
function toKeys(row: unknown): SealKey[] {
  const entries: unknown = isRecord(row) ? row['keys'] : undefined
  return (Array.isArray(entries) ? entries : []).flatMap((entry) => {
    const { data } = KeyEntry.safeParse(entry)
    return data === undefined ? [] : [{ id: data.id, secret: Buffer.from(data.secret, 'base64') }]
  })
}

/** A row as it was stored. */
export function toSessionRow(value: unknown): SessionRow | undefined {
  const row = SettingsRow.safeParse(value)
  return row.success ? fromRow(row.data) : undefined
}

function fromRow({ log_level: logLevel, used_at: usedAt, expires_at: expiresAt, ...row }: z.infer<typeof SettingsRow>) {
  return { ...row, logLevel, usedAt, expiresAt }
}
