import type { Logger } from '../log.ts'
import type { StoredReading } from './stored-reading.ts'

/** Says what becomes of the stored settings, each thing once as long as it is so. */
export interface StoredReport {
  read(reading: StoredReading): void
  unreadable(): void
  gone(): void
  refused(reason: string): void
}

/** @param isOurs whether this worker keeps settings there: a store in which it has nothing may be missing */
export function createStoredReport(log: Logger, isOurs = true): StoredReport {
  let said: ReadonlySet<string> = new Set()
  let isLate = false

  /** @param lines how bad, what, and the reason */
  function say(lines: readonly (readonly ['warn' | 'error', message: string, reason?: string])[]): void {
    const now = new Set<string>()
    for (const [level, message, reason] of lines) {
      const line = `${message} ${reason}`
      now.add(line)
      if (!said.has(line)) log[level](reason === undefined ? {} : { reason }, message)
    }
    said = now
  }

  return {
    read({ problems, warnings }) {
      say([
        ...[...problems.values()].map(
          (reason) => ['error', 'a stored setting is wrong; what it was before stays', reason] as const,
        ),
        ...warnings.map((reason) => ['warn', `stored settings: ${reason}`] as const),
      ])
      if (isLate) log.info('the stored settings can be had again')
      isLate = false
    },
    unreadable: () =>
      say([['error', 'the stored settings cannot be read; what they were before stays', 'expected keys with values']]),
    gone: () => say(isOurs ? [['warn', 'the stored settings are gone; what they were before stays']] : []),
    refused(reason) {
      if (!isOurs) return
      isLate = true
      say([
        [
          'warn',
          'the stored settings cannot be had; flags, environment and file count, and what was stored before',
          reason,
        ],
      ])
    },
  }
}
