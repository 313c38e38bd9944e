import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { ServerState } from './server-status.ts'

/** In which state a server is, since when, and why. */
export interface Condition {
  readonly state: ServerState
  readonly since: string
  /** Why it is not ready. */
  readonly diagnostic: Diagnostic | undefined
  /** When it is tried again. */
  readonly nextTry: string | undefined
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
    set(next, reasons = {}) {
      if (next !== state) since = new Date().toISOString()
      state = next
      why = reasons
    },
  }
}
