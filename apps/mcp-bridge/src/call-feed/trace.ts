import type { CallOutcome, JsonObject, McpCallRecord } from '@iii/protocol'
import { readKey } from '../gate/sight.ts'
import type { McpCall } from '../mcp/call.ts'
import type { CallTrace, JudgedFunction, RequestTrace } from '../mcp/call-trace.ts'
import { type McpResult, RPC } from '../mcp/rpc.ts'

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
  readonly detail: JudgedFunction | undefined
  readonly outcome: CallOutcome
  readonly code: string | undefined
  readonly bytesOut: number
}

/** A call that has begun, or the task that it goes on as. */
type Begun = Pick<EndedCall, 'kind' | 'name' | 'input'> & { readonly call: McpCall }

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
  detail?: JudgedFunction
  /** Has the gate said no? */
  isDenied?: boolean
  code?: string | undefined
}

function listen(facts: Facts, begun: Begun, tell: (ended: EndedCall) => void): CallTrace {
  return {
    leadsTo(functionId, decision) {
      const { id, namespace } = readKey(functionId)
      facts.functionId = id
      facts.namespace = namespace
      facts.isDenied = !decision.allowed
      if (decision.allowed) facts.detail = decision.detail
      else facts.code = decision.reason
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
