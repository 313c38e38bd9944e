import type { Logger } from '@iii/sdk'
import { untilAnswer } from './until.ts'

type Line = Readonly<Record<string, unknown>>

/** A log that keeps what belongs to the audit, and writes nothing. */
export interface AuditLog {
  readonly log: Logger
  readonly lines: readonly Line[]
  /** Waits for a line that says this, and hands it out. */
  hear(what: Line): Promise<Line>
}

/** A log that hands on what is said at `info`. */
export function createInfoLog(info: (fields: Line, text?: string) => void): Logger {
  const nothing = () => undefined
  const log: Logger = { debug: nothing, info: info as Logger['info'], warn: nothing, error: nothing, child: () => log }
  return log
}

export function createAuditLog(): AuditLog {
  const lines: Line[] = []
  const info = (fields: Line) => {
    if (fields['audit'] === true) lines.push(fields)
  }
  const log = createInfoLog(info)
  const find = (what: Line) => lines.find((line) => Object.entries(what).every(([key, value]) => line[key] === value))
  return {
    log,
    lines,
    async hear(what) {
      const line = await untilAnswer(
        async () => find(what),
        (found) => found !== undefined,
      )
      if (line === undefined) throw new Error('unreachable')
      return line
    },
  }
}
