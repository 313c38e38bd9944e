import { LOG_LEVELS, type LogLevel } from '@iii/protocol'
import type { SessionState } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { SessionRow } from './store.ts'

/** What a client has set in its session, with the way to change it from outside. */
export interface SessionSettings extends SessionState {
  logLevel: LogLevel
  /** What they take, in bytes; nothing while they are as a session begins. */
  readonly bytes: number
  /** Takes over what another bridge has stored. */
  adopt(row: Pick<SessionRow, 'logLevel' | 'subscriptions'>): void
  toRow(): Pick<SessionRow, 'logLevel' | 'subscriptions'>
}

/** Who keeps settings, for all sessions. */
export interface SettingsKeeper {
  /** Asks for so many bytes more. @throws RpcError when there is no room */
  readonly claim: (bytes: number) => void
  readonly onChange: () => void
}

/** Of a session, or of one subscription where there are no sessions. */
export const MAX_SUBSCRIPTIONS = 256
/** What the subscriptions of a session may take, as JSON. */
const MAX_SUBSCRIPTION_BYTES = 32 * 1024
/** What a row takes beside the subscriptions. */
const ROW_BYTES = 200
/** What the settings of a session take at most. */
export const MAX_SETTINGS_BYTES = MAX_SUBSCRIPTION_BYTES + ROW_BYTES
const BEGINNING: LogLevel = 'info'

/** @param keeper undefined where there is one session alone, which nobody takes over */
export function createSettings(handle: string, keeper?: SettingsKeeper): SessionSettings {
  const subscriptions = new Set<string>()
  let taken = 0

  return {
    handle,
    logLevel: BEGINNING,
    subscriptions,
    get bytes() {
      return subscriptions.size === 0 && this.logLevel === BEGINNING ? 0 : taken + ROW_BYTES
    },
    async setLogLevel(level) {
      if (level === this.logLevel) return
      if (this.bytes === 0) keeper?.claim(ROW_BYTES)
      this.logLevel = level
      keeper?.onChange()
    },
    async subscribe(uri) {
      if (subscriptions.has(uri)) return
      const bytes = toBytes(uri)
      refuseTooMany(subscriptions.size + 1, taken + bytes)
      keeper?.claim(this.bytes === 0 ? bytes + ROW_BYTES : bytes)
      subscriptions.add(uri)
      taken += bytes
      keeper?.onChange()
    },
    async unsubscribe(uri) {
      if (!subscriptions.delete(uri)) return
      taken -= toBytes(uri)
      keeper?.onChange()
    },
    adopt(row) {
      this.logLevel = LOG_LEVELS.find((level) => level === row.logLevel) ?? BEGINNING
      subscriptions.clear()
      taken = 0
      for (const uri of row.subscriptions.slice(0, MAX_SUBSCRIPTIONS)) {
        const bytes = toBytes(uri)
        if (taken + bytes > MAX_SUBSCRIPTION_BYTES) break
        subscriptions.add(uri)
        taken += bytes
      }
    },
    toRow() {
      return { logLevel: this.logLevel, subscriptions: [...subscriptions] }
    },
  }
}

function refuseTooMany(count: number, bytes: number): void {
  const limit =
    count > MAX_SUBSCRIPTIONS
      ? `a session may have ${MAX_SUBSCRIPTIONS}`
      : `those of a session may take ${MAX_SUBSCRIPTION_BYTES} bytes together`
  if (count <= MAX_SUBSCRIPTIONS && bytes <= MAX_SUBSCRIPTION_BYTES) return
  throw new RpcError(RPC.refused, `Too many subscriptions: ${limit}; unsubscribe from some`)
}

/** With the comma behind it. */
function toBytes(uri: string): number {
  return Buffer.byteLength(JSON.stringify(uri)) + 1
}
