import type { CallOutcome, McpCallRecord } from '@iii/protocol'
import type { FunctionDetail } from '../gate/directory.ts'
import type { Denial, Pass } from '../gate/index.ts'
import { readKey } from '../gate/sight.ts'
import type { McpCall, McpResult } from '../mcp/call.ts'
import { type JsonObject, RPC, type RpcError } from '../mcp/rpc.ts'

/** Hears from the rooms what becomes of a call; each says it where it knows. */
export interface CallTrace {
  /** The function that was asked for, by its key, and what the gate says. */
  leadsTo(functionId: string, verdict: Pass | Denial): void
  /** It is invoked; again where the client was asked something. */
  invoked(callId: string): void
  /** An invocation brought no result, for this reason. */
  failed(code: string): void
  /** The call goes on as a task, whose end is told by itself. */
  task(): TaskTrace
}

/** A task from its beginning to its end. */
export interface TaskTrace extends CallTrace {
  ended(outcome: CallOutcome, bytes: number, code?: string): void
}

/** A request from its beginning to its end. */
export interface RequestTrace extends CallTrace {
  /** @param text the result as it goes out */
  answered(result: McpResult, text: string): void
  refused(error: RpcError): void
}

/** What is known of a call that is over. */
export interface EndedCall {
  readonly kind: McpCallRecord['kind']
  /** What the client asked for: a tool, a prompt, an address. */
  readonly name: string
  readonly input: unknown
  readonly call: Pick<McpCall, 'client' | 'session'>
  readonly startedAt: Date
  readonly ms: number
  readonly callId: string | undefined
  readonly functionId: string | undefined
  /** Where that is, if not in the namespace of the bridge. */
  readonly namespace: string | undefined
  readonly detail: FunctionDetail | undefined
  readonly outcome: CallOutcome
  readonly code: string | undefined
  readonly bytesOut: number
}

export type Begun = Pick<EndedCall, 'kind' | 'name' | 'input'> & { readonly call: McpCall }

/** @param tell is handed the call when it is over, unless it is a resource that no function renders */
export function createTrace(begun: Begun, tell: (ended: EndedCall) => void): RequestTrace {
  const facts: Facts = {}
  const { call } = begun
  const end = startClock(begun, facts, tell)
  return {
    ...listen(facts, begun, tell),
    answered(result, text) {
      end(call.signal.aborted ? 'given_up' : toOutcome(result, facts), Buffer.byteLength(text))
    },
    refused({ code }) {
      const isReached = facts.callId !== undefined && code !== RPC.overloaded
      facts.code ??= String(code)
      end(call.signal.aborted ? 'given_up' : isReached ? 'error' : 'refused', 0)
    },
  }
}

interface Facts {
  callId?: string
  functionId?: string
  namespace?: string | undefined
  detail?: FunctionDetail
  /** Has the gate said no? */
  isDenied?: boolean
  code?: string | undefined
}

function listen(facts: Facts, begun: Begun, tell: (ended: EndedCall) => void): CallTrace {
  return {
    leadsTo(functionId, verdict) {
      const { id, namespace } = readKey(functionId)
      facts.functionId = id
      facts.namespace = namespace
      facts.isDenied = !verdict.allowed
      if (verdict.allowed) facts.detail = verdict.detail
      else facts.code = verdict.reason
    },
    invoked(callId) {
      facts.callId ??= callId
    },
    failed(code) {
      facts.code = code
    },
    task() {
      const asTask: Begun = { ...begun, kind: 'task' }
      // The two records are told apart by their kind, and belong together by their call.
      const end = startClock(asTask, facts, tell)
      return {
        ...listen(facts, asTask, tell),
        ended(outcome, bytes, code) {
          facts.code ??= code
          end(outcome, bytes)
        },
      }
    },
  }
}

function startClock({ kind, name, input, call }: Begun, facts: Facts, tell: (ended: EndedCall) => void) {
  const startedAt = new Date()
  const start = performance.now()
  return (outcome: CallOutcome, bytesOut: number) => {
    const { callId, functionId, namespace, detail, code } = facts
    if (kind === 'section' && functionId === undefined) return
    const ms = Math.round(performance.now() - start)
    const how = { outcome, code: outcome === 'ok' ? undefined : code, bytesOut }
    tell({ kind, name, input, call, startedAt, ms, callId, functionId, namespace, detail, ...how })
  }
}

function toOutcome(result: McpResult, { isDenied }: Facts): CallOutcome {
  const { resultType, isError } = result as JsonObject
  if (resultType === 'input_required' || resultType === 'task') return resultType
  if (isError !== true) return 'ok'
  return isDenied === true ? 'refused' : 'error'
}
