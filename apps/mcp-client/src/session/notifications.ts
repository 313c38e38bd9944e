import { LOG_LEVELS, type LogLevel } from '@iii/protocol'
import type { Counts } from '../diagnostics/counts.ts'

export interface ProgressEntry {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface LogEntry {
  readonly level: LogLevel
  readonly data: unknown
  readonly logger: string | undefined
}

/** What a server says unasked. */
export interface Notifications {
  receive(method: string, params: Readonly<Record<string, unknown>>): void
  /** Hears of the progress of one request, which is named by the token. */
  follow(listener: (progress: ProgressEntry) => void): { readonly token: number; end(): void }
  onLog(listener: (entry: LogEntry) => void): () => void
}

export function createNotifications(options: { readonly counts: Counts; onToolsChanged(): void }): Notifications {
  const followers = new Map<unknown, (progress: ProgressEntry) => void>()
  const listeners = new Set<(entry: LogEntry) => void>()
  let tokens = 0

  const receivers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => void>> = {
    'notifications/tools/list_changed': () => options.onToolsChanged(),
    'notifications/progress'({ progressToken, progress, total, message }) {
      if (typeof progress !== 'number') return
      followers.get(progressToken)?.({ progress, total: toNumber(total), message: toText(message) })
    },
    'notifications/message'({ level, data, logger }) {
      if (!isLevel(level)) return
      for (const listener of listeners) listener({ level, data, logger: toText(logger) })
    },
  }

  return {
    receive(method, params) {
      const receiver = Object.hasOwn(receivers, method) ? receivers[method] : undefined
      if (receiver === undefined) options.counts.add('ignored_notifications')
      else receiver(params)
    },
    follow(listener) {
      const token = ++tokens
      followers.set(token, listener)
      return { token, end: () => void followers.delete(token) }
    },
    onLog(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function isLevel(level: unknown): level is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(level)
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
