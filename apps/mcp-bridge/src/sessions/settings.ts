import { LOG_LEVELS, type LogLevel } from '@iii/protocol'
import type { SessionState } from '../call.ts'
import { RPC, RpcError } from '../rpc.ts'
import type { SessionRow } from './store.ts'

/** What a client has set in its session, with the way to change it from outside. */
export interface SessionSettings extends SessionState {
  /** Takes over what another bridge has stored. */
  adopt(row: SessionRow): void
  toRow(): Pick<SessionRow, 'logLevel' | 'subscriptions'>
}

const MAX_SUBSCRIPTIONS = 256

/** @param save keeps the settings for a bridge that takes the session over */
export function createSettings(handle: string, save: () => Promise<void>): SessionSettings {
  let logLevel: LogLevel = 'info'
  let subscriptions = new Set<string>()
  return {
    handle,
    get logLevel() {
      return logLevel
    },
    get subscriptions() {
      return subscriptions
    },
    async setLogLevel(level) {
      logLevel = level
      await save()
    },
    async subscribe(uri) {
      if (subscriptions.has(uri)) return
      if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
        const problem = `Too many subscriptions: a session may have ${MAX_SUBSCRIPTIONS}; unsubscribe from some`
        throw new RpcError(RPC.refused, problem)
      }
      subscriptions.add(uri)
      await save()
    },
    async unsubscribe(uri) {
      if (subscriptions.delete(uri)) await save()
    },
    adopt(row) {
      logLevel = LOG_LEVELS.find((level) => level === row.logLevel) ?? 'info'
      subscriptions = new Set(row.subscriptions.slice(0, MAX_SUBSCRIPTIONS))
    },
    toRow: () => ({ logLevel, subscriptions: [...subscriptions] }),
  }
}
