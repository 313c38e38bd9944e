import { LOG_LEVELS, type LogLevel } from '@iii/protocol'
import type { Clock } from '../clock.ts'
import type { Counts } from '../diagnostics/counts.ts'
import { toOwnId } from '../transport/outgoing.ts'

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
  /**
   * A request was given up. Who is told to stop need not, nor says that it did: for as long as that request might have taken, what is logged
   * may be about it, and nobody hears it.
   */
  onGivenUp(timeoutMs: number): void
  /** The server has answered all of those, and is done with them. */
  onLateAnswers(): void
}

export interface NotificationsOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly counts: Counts
  onToolsChanged(): void
}

export function createNotifications(options: NotificationsOptions): Notifications {
  const followers = new Map<number, (progress: ProgressEntry) => void>()
  const listeners = new Set<(entry: LogEntry) => void>()
  let tokens = 0
  let isUnclearUntil = Number.NEGATIVE_INFINITY

  const receivers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => void>> = {
    'notifications/tools/list_changed': () => options.onToolsChanged(),
    'notifications/progress'({ progressToken, progress, total, message }) {
      if (typeof progress !== 'number') return
      followers.get(toOwnId(progressToken))?.({ progress, total: toNumber(total), message: toText(message) })
    },
    'notifications/message'({ level, data, logger }) {
      if (!isLevel(level) || options.clock.now() < isUnclearUntil) return
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
    onGivenUp(timeoutMs) {
      isUnclearUntil = Math.max(isUnclearUntil, options.clock.now() + timeoutMs)
    },
    onLateAnswers() {
      isUnclearUntil = Number.NEGATIVE_INFINITY
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
