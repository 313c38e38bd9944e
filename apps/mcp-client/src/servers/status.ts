import type { Counts } from '../diagnostics/counts.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { FunctionSet } from '../functions/function-set.ts'
import type { Backoff } from './backoff.ts'
import type { Readiness } from './readiness.ts'
import type { ServerState, ServerStatus } from './server-status.ts'
import type { Standing } from './standing.ts'
import type { StderrRing } from './stderr-ring.ts'
import type { ServerTools } from './tools.ts'
import { toConflict, type Wishes } from './wishes.ts'

export interface StatusParts {
  readonly wishes: Wishes
  readonly standing: Standing
  readonly readiness: Readiness
  readonly tools: Pick<ServerTools, 'statuses' | 'diagnostics' | 'pending'>
  readonly functions: Pick<FunctionSet, 'ids'>
  readonly counts: Counts
  readonly backoff: Pick<Backoff, 'failures'>
  readonly isChurning: boolean
  readonly stderr: Pick<StderrRing, 'lines'>
}

/** What is known of a server at the moment, without secrets. */
export function toStatus(parts: StatusParts): ServerStatus {
  const { wishes, standing, readiness, tools, functions, counts, backoff } = parts
  const { current } = readiness
  const ids = new Set(functions.ids)
  return {
    name: wishes.entry.name,
    state: toState(parts),
    since: standing.since,
    pid: current?.pid,
    server: current?.session.info,
    tools: tools.statuses.filter(({ state, functionId }) => state !== 'registered' || ids.has(functionId)),
    diagnostics: [...wishes.entry.warnings, ...toDiagnostics(parts)],
    counts: counts.all(),
    failures: backoff.failures,
    nextTry: standing.nextTry,
    stderr: parts.stderr.lines(),
    pending: tools.pending,
  }
}

function toState({ wishes, standing, isChurning }: StatusParts): ServerState {
  const { state } = standing
  if (state !== 'ready') return state
  if (wishes.conflict !== undefined) return 'conflict'
  return isChurning ? 'churning' : 'ready'
}

function toDiagnostics(parts: StatusParts): Diagnostic[] {
  const { wishes, standing, tools } = parts
  const { diagnostic } = standing
  const own = diagnostic === undefined ? [] : [diagnostic]
  const state = toState(parts)
  if (state === 'conflict' && own.length === 0 && wishes.conflict !== undefined) {
    own.push(toConflict(wishes.entry.name, wishes.conflict))
  }
  if (state === 'churning') own.push(CHURN)
  // Of one that does not run, what is wrong with the tools that it once had is no answer to why.
  return wishes.isGone ? own : [...own, ...tools.diagnostics]
}

const CHURN: Diagnostic = {
  code: 'list_churn',
  message: 'It says all the time that its tools have changed; they are listed once a minute until it stops',
}
