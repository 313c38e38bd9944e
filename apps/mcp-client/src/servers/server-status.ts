import type { Diagnostic, PastFailure } from '../diagnostics/diagnostic.ts'
import type { PendingTool } from '../pins/pin.ts'
import type { ServerInfo } from '../session/server-info.ts'

export const SERVER_STATES = [
  'untrusted',
  'disabled',
  'malformed',
  'conflict',
  'connecting',
  'ready',
  'churning',
  'backoff',
  'parked',
  'stopped',
] as const
export type ServerState = (typeof SERVER_STATES)[number]

/** A tool of a server, as `iii-mcp-client tools` shows it. */
export interface ToolStatus {
  /** As the server gives it, cleaned. */
  readonly tool: string
  readonly functionId: string
  /** `registered`; `pending`: new or changed, waits for approval; `denied` by the file; `left_out` with a diagnostic. */
  readonly state: 'registered' | 'pending' | 'denied' | 'left_out'
}

/** What is known of a server at the moment. */
export interface ServerStatus {
  readonly name: string
  readonly state: ServerState
  /** ISO date of the last change of state. */
  readonly since: string
  readonly pid: number | undefined
  /** What the server says of itself; shown to people, and to no agent. */
  readonly server: ServerInfo | undefined
  readonly tools: readonly ToolStatus[]
  /** What is wrong at the moment. */
  readonly diagnostics: readonly Diagnostic[]
  /** Things that are counted and cost nothing by themselves, such as refused requests, schema mismatches, skipped lines. */
  readonly counts: Readonly<Record<string, number>>
  /** Failed starts in a row, and when the next try is due. */
  readonly failures: number
  readonly nextTry: string | undefined
  /** Of one that is ready again, why it did not run before. */
  readonly lastFailure?: PastFailure | undefined
  /** The last lines that it wrote to stderr, without secrets. */
  readonly stderr: readonly string[]
  /** With all that a person has to see before they approve it; told when one server is asked for. */
  readonly pending?: readonly ToldPending[]
}

/** A tool that waits for approval, as it is told. */
export interface ToldPending {
  readonly kind: PendingTool['kind']
  readonly tool: {
    readonly name: string
    readonly hash: string
    /** JSON as text: an engine may read a number of 17 digits as the one beside it, and what was approved would be another tool. */
    readonly definition: string
  }
}
