import { Fault } from '@iii/protocol'
import type { Diagnostic, PastFailure } from '../diagnostics/diagnostic.ts'
import type { ServerState } from './server-status.ts'

/** In which state a server is, since when, and why. */
export interface Condition {
  readonly state: ServerState
  readonly since: string
  /** Why it is not ready. */
  readonly diagnostic: Diagnostic | undefined
  /** When it is tried again. */
  readonly nextTry: string | undefined
  /** What it was tried again after last, whatever has come of that. */
  readonly lastFailure: PastFailure | undefined
  set(state: ServerState, why?: Why): void
}

export interface Why {
  readonly diagnostic?: Diagnostic | undefined
  readonly nextTry?: string | undefined
}

export function createCondition(): Condition {
  let state: ServerState = 'stopped'
  let since = new Date().toISOString()
  let why: Why = {}
  let lastFailure: PastFailure | undefined
  return {
    get state() {
      return state
    },
    get since() {
      return since
    },
    get diagnostic() {
      return why.diagnostic
    },
    get nextTry() {
      return why.nextTry
    },
    get lastFailure() {
      return lastFailure
    },
    set(next, reasons = {}) {
      const { diagnostic, nextTry } = reasons
      if (diagnostic !== undefined && nextTry !== undefined) {
        lastFailure = { ...diagnostic, at: new Date().toISOString() }
      }
      if (next !== state) since = new Date().toISOString()
      state = next
      why = reasons
    },
  }
}

/** Said to a call for which there is no connection. */
export function toUnreachable(name: string, { diagnostic, state, nextTry }: Condition): Fault {
  const why = diagnostic === undefined ? state : `${diagnostic.code}: ${diagnostic.message}`
  const next = nextTry === undefined ? '' : `; it is tried again at ${nextTry}`
  return new Fault('unavailable', `The MCP server '${name}' is not there (${why})${next}`)
}
