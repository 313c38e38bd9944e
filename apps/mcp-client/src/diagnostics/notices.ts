import type { Logger } from '@iii/sdk'
import type { Diagnostic } from './diagnostic.ts'

/** Tells the log what is wrong, each thing once as long as it stays so. */
export interface Notices {
  /** @param diagnostics all that is wrong at the moment */
  tell(diagnostics: readonly Diagnostic[]): void
}

/** A list of a stranger may be wrong in thousands of places. */
const MAX_LINES = 10

/** @param what of the server it is about */
export function createNotices(log: Pick<Logger, 'warn'>, what: string): Notices {
  let told: ReadonlySet<string> = new Set()
  return {
    tell(diagnostics) {
      const fresh = diagnostics.filter((one) => !told.has(toKey(one)))
      for (const { code, message } of fresh.slice(0, MAX_LINES)) log.warn({ code, reason: message }, what)
      const more = fresh.length - MAX_LINES
      if (more > 0) log.warn({ more }, `${what}; \`iii-mcp-client show\` has the rest`)
      told = new Set(diagnostics.map(toKey))
    },
  }
}

function toKey({ code, message }: Diagnostic): string {
  return `${code} ${message}`
}
