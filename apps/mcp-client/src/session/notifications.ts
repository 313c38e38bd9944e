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
  /** Hears what the server logs, but for what may be about calls of somebody else. */
  onLog(caller: string, listener: (entry: LogEntry) => void): () => void
  /** A call is over. What is logged may be about it for {@link LATE_LOGS_MS} all the same, and nobody but its caller hears it. */
  onOver(caller: string): void
  /**
   * A request was given up. Who is told to stop need not, nor says that it did: for as long as that request might have taken, what is logged
   * may be about it, and nobody hears it.
   */
  onGivenUp(timeoutMs: number): void
  /** The server has answered all of those, and is done with them. */
  onLateAnswers(): void
}

/** What belongs to a call that was answered comes so soon. More would take the logs of their own calls from those who share a server. */
export const LATE_LOGS_MS = 2_000

export interface NotificationsOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly counts: Counts
  onToolsChanged(): void
}

export function createNotifications(options: NotificationsOptions): Notifications {
  const followers = new Map<number, (progress: ProgressEntry) => void>()
  const listeners = new Set<{ readonly caller: string; hear(entry: LogEntry): void }>()
  /** Until when what is logged may be about a call of theirs that is over. */
  const lately = new Map<string, number>()
  let tokens = 0
  let isUnclearUntil = Number.NEGATIVE_INFINITY

  function forgetEarlier(): void {
    for (const [caller, until] of lately) if (until <= options.clock.now()) lately.delete(caller)
  }

  /** Whether nobody else has called lately. */
  function isClear(caller: string): boolean {
    return lately.size === 0 || (lately.size === 1 && lately.has(caller))
  }

  const receivers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => void>> = {
    'notifications/tools/list_changed': () => options.onToolsChanged(),
    'notifications/progress'({ progressToken, progress, total, message }) {
      if (typeof progress !== 'number') return
      followers.get(toOwnId(progressToken))?.({ progress, total: toNumber(total), message: toText(message) })
    },
    'notifications/message'({ level, data, logger }) {
      if (!isLevel(level) || options.clock.now() < isUnclearUntil) return
      forgetEarlier()
      for (const { caller, hear } of listeners) if (isClear(caller)) hear({ level, data, logger: toText(logger) })
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
    onLog(caller, hear) {
      const listener = { caller, hear }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onOver(caller) {
      forgetEarlier()
      lately.set(caller, options.clock.now() + LATE_LOGS_MS)
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
