import { STATE_SCOPES } from '@iii/protocol'
import { createStateScope, type Worker } from '@iii/sdk'
import { z } from 'zod'
import type { SessionKey } from './token.ts'

/** Where all bridges of an engine keep what they must share about sessions. */
export const SESSION_SCOPES = {
  keys: STATE_SCOPES.mcp.sessionKeys,
  ended: STATE_SCOPES.mcp.sessionsEnded,
  settings: STATE_SCOPES.mcp.sessionSettings,
} as const

/** A session that was ended before its time; kept until it would have expired anyway. */
export interface Tombstone {
  readonly handle: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** What a client has set in its session, and that it is in use; there is none for a session that is young and as it began. */
export interface SessionRow {
  readonly handle: string
  readonly logLevel: string
  readonly subscriptions: readonly string[]
  /** Which process wrote it. */
  readonly writer: string
  /** To the hour; milliseconds since 1970, like the next. */
  readonly usedAt: number
  readonly expiresAt: number
}

/** Every method rejects when the engine has no state, or does not answer in time. */
export interface SessionStore {
  keys(): Promise<SessionKey[]>
  /** Adds a key unless it is there; whatever two bridges do at once, both keys are kept. @returns all keys, oldest first */
  addKey(key: SessionKey): Promise<SessionKey[]>
  ended(): Promise<Tombstone[]>
  addEnded(tombstone: Tombstone): Promise<void>
  removeEnded(handle: string): Promise<void>
  row(handle: string): Promise<SessionRow | undefined>
  rows(): Promise<SessionRow[]>
  setRow(row: SessionRow): Promise<void>
  removeRow(handle: string): Promise<void>
}

const KEYS_KEY = 'keys'

const KeysRow = z.object({
  keys: z.array(z.object({ id: z.int().min(0).max(0xffff_ffff), secret: z.base64() })),
})
const EndedRow = z.object({ handle: z.string(), expires_at: z.number() })
const SettingsRow = z.object({
  handle: z.string(),
  log_level: z.string(),
  subscriptions: z.array(z.string()),
  writer: z.string(),
  used_at: z.number(),
  expires_at: z.number(),
})

export function createSessionStore(engine: Pick<Worker, 'trigger'>, timeoutMs: number): SessionStore {
  const keys = createStateScope(engine, SESSION_SCOPES.keys, { schema: KeysRow, timeoutMs })
  const ended = createStateScope(engine, SESSION_SCOPES.ended, { schema: EndedRow, timeoutMs })
  const settings = createStateScope(engine, SESSION_SCOPES.settings, { schema: SettingsRow, timeoutMs })
  return {
    keys: async () => toKeys(await keys.get(KEYS_KEY)),
    async addKey(key) {
      const value = { id: key.id, secret: key.secret.toString('base64') }
      const { newValue } = await keys.update(KEYS_KEY, [{ type: 'append', path: 'keys', value }])
      return toKeys(newValue)
    },
    async ended() {
      const rows = await ended.list()
      return rows.map((row) => ({ handle: row.handle, expiresAt: row.expires_at }))
    },
    async addEnded({ handle, expiresAt }) {
      await ended.set(handle, { handle, expires_at: expiresAt })
    },
    async removeEnded(handle) {
      await ended.delete(handle)
    },
    async row(handle) {
      const row = await settings.get(handle)
      return row && fromRow(row)
    },
    rows: async () => (await settings.list()).map(fromRow),
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
    async removeRow(handle) {
      await settings.delete(handle)
    },
  }
}

function toKeys(row: z.infer<typeof KeysRow> | undefined): SessionKey[] {
  return (row?.keys ?? []).map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') }))
}

/** A row as it comes with an event of the store. */
export function toSessionRow(value: unknown): SessionRow | undefined {
  const row = SettingsRow.safeParse(value)
  return row.success ? fromRow(row.data) : undefined
}

function fromRow({ log_level: logLevel, used_at: usedAt, expires_at: expiresAt, ...row }: z.infer<typeof SettingsRow>) {
  return { ...row, logLevel, usedAt, expiresAt }
}
