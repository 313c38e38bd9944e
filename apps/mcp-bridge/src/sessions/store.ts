import { createStateScope, type Worker } from '@iii/sdk'
import { z } from 'zod'
import type { SessionKey } from './token.ts'

/** Where all bridges of an engine keep what they must share about sessions. */
export const SESSION_SCOPES = { keys: 'mcp-session-keys', ended: 'mcp-sessions-ended' } as const

/** A session that was ended before its time; kept until it would have expired anyway. */
export interface Tombstone {
  readonly handle: string
  /** Milliseconds since 1970. */
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
}

const KEYS_KEY = 'keys'

const KeysRow = z.object({
  keys: z.array(z.object({ id: z.int().min(0).max(0xffff_ffff), secret: z.base64() })),
})
const EndedRow = z.object({ handle: z.string(), expires_at: z.number() })

export function createSessionStore(engine: Pick<Worker, 'trigger'>, timeoutMs: number): SessionStore {
  const keys = createStateScope(engine, SESSION_SCOPES.keys, { schema: KeysRow, timeoutMs })
  const ended = createStateScope(engine, SESSION_SCOPES.ended, { schema: EndedRow, timeoutMs })
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
  }
}

function toKeys(row: z.infer<typeof KeysRow> | undefined): SessionKey[] {
  return (row?.keys ?? []).map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') }))
}
