import type { Counts } from '../diagnostics/counts.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { FunctionSet } from '../functions/function-set.ts'
import type { PendingTool } from '../pins/pin.ts'
import type { Backoff } from './backoff.ts'
import type { Condition } from './condition.ts'
import { type DesiredState, toNameConflict } from './desired-state.ts'
import type { ServerReadiness } from './readiness.ts'
import type { ServerState, ServerStatus, ToldPending } from './server-status.ts'
import type { StderrRing } from './stderr-ring.ts'
import type { ServerTools } from './tools.ts'

export interface StatusParts {
  readonly desired: DesiredState
  readonly condition: Condition
  readonly readiness: ServerReadiness
  readonly tools: Pick<ServerTools, 'statuses' | 'diagnostics' | 'pending'>
  readonly functions: Pick<FunctionSet, 'ids'>
  readonly counts: Counts
  readonly backoff: Pick<Backoff, 'failures'>
  readonly isChurning: boolean
  readonly stderr: Pick<StderrRing, 'lines'>
}

/** What is known of a server at the moment, without secrets. */
export function toServerStatus(parts: StatusParts): ServerStatus {
  const { desired, condition, readiness, tools, functions, counts, backoff } = parts
  const { current } = readiness
  const ids = new Set(functions.ids)
  return {
    name: desired.entry.name,
    state: toState(parts),
    since: condition.since,
    pid: current?.pid,
    server: current?.session.info,
    tools: tools.statuses.filter(({ state, functionId }) => state !== 'registered' || ids.has(functionId)),
    diagnostics: [...desired.entry.warnings, ...toDiagnostics(parts)],
    counts: counts.all(),
    failures: backoff.failures,
    nextTry: condition.nextTry,
    lastFailure: condition.state === 'ready' ? condition.lastFailure : undefined,
    stderr: parts.stderr.lines(),
    pending: tools.pending.map(toToldPending),
  }
}

export function toToldPending({ kind, tool }: PendingTool): ToldPending {
  return { kind, tool: { ...tool, definition: JSON.stringify(tool.definition) } }
}

function toState({ desired, condition, isChurning }: StatusParts): ServerState {
  const { state } = condition
  if (state !== 'ready') return state
  if (desired.conflict !== undefined) return 'conflict'
  return isChurning ? 'churning' : 'ready'
}

function toDiagnostics(parts: StatusParts): Diagnostic[] {
  const { desired, condition, tools } = parts
  const { diagnostic } = condition
  const own = diagnostic === undefined ? [] : [diagnostic]
  const state = toState(parts)
  if (state === 'conflict' && own.length === 0 && desired.conflict !== undefined) {
    own.push(toNameConflict(desired.entry.name, desired.conflict))
  }
  if (state === 'churning') own.push(CHURN)
  // Of one that does not run, what is wrong with the tools that it once had is no answer to why.
  return desired.isGone ? own : [...own, ...tools.diagnostics]
}

const CHURN: Diagnostic = {
  code: 'list_churn',
  message: 'It says all the time that its tools have changed; they are listed once a minute until it stops',
}
