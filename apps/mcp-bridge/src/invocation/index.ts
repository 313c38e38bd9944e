import { CANCEL_DESK_PREFIX, type McpSidecar, toFault } from '@iii/protocol'
import { type Logger, type Trace, TriggerAction, type Worker } from '@iii/sdk'
import { toAnswering } from '../auth/told-principal.ts'
import type { Callee, Gate } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import type { McpCall } from '../mcp/call.ts'
import type { CallParams } from '../mcp/params.ts'
import type { BridgeOptions } from '../options.ts'
import type { Seal } from '../sessions/request-state-seal.ts'
import { askByResult, askInline, type CallReply, type Conversation, readRetry } from './asking.ts'
import { createDeadline, type Deadline } from './call-deadline.ts'
import { explainFailure, type Failure, isGivenUp, isOfClient } from './failure.ts'
import { type FunctionReply, readReply } from './function-reply.ts'
import { createRunningCalls, type RunningCall } from './running-calls.ts'
import { type RoundAnswers, toSidecar } from './sidecar.ts'
import type { Slots } from './slots.ts'
import { serveWhileRunning } from './while-running.ts'

/** A function that is called for an MCP client, and how. */
export interface FunctionCall {
  readonly pass: Callee
  readonly payload: unknown
  /** What this call adds to the sidecar. */
  readonly sidecar?: Pick<McpSidecar, 'uri' | 'variables' | 'task' | 'max_result_bytes'>
  /** When the request came, of `performance.now()`; its deadline counts from there. @default now */
  readonly startedAt?: number
}

export type { CallReply } from './asking.ts'
export type { FunctionReply } from './function-reply.ts'
export type { RoundAnswers } from './sidecar.ts'

/** Every call of a function for a client is made here. */
export interface Invoker {
  /**
   * The answers that a 2026-07-28 client sends with a request that it repeats; undefined for one that it makes the first time.
   *
   * @throws RpcError for what is malformed, and for a state that is not ours
   */
  answersIn(functionId: string, call: McpCall, params: CallParams): Promise<RoundAnswers | undefined>
  /**
   * One invocation: with a sidecar, reachable while it runs, until its deadline or until nobody waits any more. Then the function named by
   * `mcp.cancel` is told.
   *
   * @throws RpcError `overloaded` before the call was made, and for what the function wants to be an error of the protocol; the
   *   InvocationError of a function that is not there (`isAbsent`); else a Fault in words for the client
   */
  once(invocation: FunctionCall, call: McpCall, params: CallParams, answers?: RoundAnswers): Promise<FunctionReply>
  /**
   * A whole call: what the function wants to know first is asked of the client in the way of its era. The time of the client's answers is
   * not the function's.
   *
   * @throws as `once`; RpcError for answers that are malformed or forged, and for what a 2026-07-28 client cannot be asked; a Fault
   *   that says so for any other client
   */
  run(invocation: FunctionCall, call: McpCall, params: CallParams): Promise<CallReply>
}

export interface InvokerOptions {
  readonly worker: Pick<Worker, 'registerFunction' | 'namespace'>
  readonly gate: Pick<Gate, 'notify' | 'visible'>
  /** The prefix under `mcp::` that belongs to this bridge process alone. */
  readonly via: string
  readonly slots: Slots
  /** Hides from clients what functions give to themselves. */
  readonly seal: Seal
  readonly log: Logger
  readonly options: () => Pick<BridgeOptions, 'maxResultBytes'>
}

/** Nobody waits for what comes of it. */
const NOTICE = { timeoutMs: 5_000, metadata: undefined, signal: undefined }

export function createInvoker({ worker, gate, via, slots, seal, log, options }: InvokerOptions): Invoker {
  const calls = createRunningCalls()
  serveWhileRunning(worker, { via, calls, gate, options })

  const answersIn: Invoker['answersIn'] = async (functionId, call, params) =>
    isFirst(params) ? undefined : readRetry({ functionId, call, params }, seal)

  async function invoke(
    invocation: FunctionCall,
    call: McpCall,
    { params, answers, deadline }: { params: CallParams; answers: RoundAnswers | undefined; deadline: Deadline },
  ): Promise<FunctionReply> {
    const { pass, payload } = invocation
    const { functionId, namespace, metadata } = pass
    const { principal, limits, signal } = call
    const hasAsked = answers !== undefined
    const failure: Failure = { functionId, hasAsked, deadline, limits, timeoutMs: metadata.timeout_ms, signal }
    if (signal.aborted) throw explainFailure(signal.reason, failure)
    const running = calls.open(call, params, namespace)
    call.trace?.invoked(running.id)
    try {
      const facts = { via, namespace: worker.namespace, running, call, params, own: invocation.sidecar, answers }
      const mcp = toSidecar(facts)
      const options = { principal, metadata: { mcp }, timeoutMs: deadline.leftMs(), signal, trace: toTrace(call) }
      const value = await slots.run(call, () => pass.call(payload, options))
      const said = running.settled()
      if (said !== undefined) await said
      return readReply(value, functionId, call.era)
    } catch (error) {
      if (isGivenUp(failure)) void cancel(metadata.cancel, running, failure)
      const explained = explainFailure(error, failure)
      call.trace?.failed(toFault(explained).code)
      throw explained
    } finally {
      running.close()
    }
  }

  /** The engine tells no function that nobody waits for it; whoever wants to know names a function that we tell. */
  async function cancel(
    functionId: string | undefined,
    { id, namespace }: RunningCall,
    failure: Failure,
  ): Promise<void> {
    if (functionId === undefined) return
    const key = toKey({ namespace, id: functionId })
    // Functions that people have written take the id of the call and nothing else.
    const why = functionId.startsWith(CANCEL_DESK_PREFIX) && !isOfClient(failure) && { reason: 'deadline' }
    try {
      await gate.notify(key, { call_id: id, ...why }, { ...NOTICE, action: TriggerAction.Void() })
    } catch (error) {
      log.warn({ function_id: functionId, reason: String(error) }, 'a function could not be told that its call is over')
    }
  }

  return {
    answersIn,
    once: (invocation, call, params, answers) =>
      invoke(invocation, call, { params, answers, deadline: toDeadline(invocation, call) }),
    async run(invocation, call, params) {
      const deadline = toDeadline(invocation, call)
      const { functionId } = invocation.pass
      const context = { functionId, call, params }
      const isRepeated = call.era === 'stateless' && !isFirst(params)
      const answers = isRepeated ? await readRetry(context, seal) : undefined
      const reply = await invoke(invocation, call, { params, answers, deadline })
      if (reply.kind === 'value') return reply
      if (call.era === 'stateless') return askByResult(reply, context, seal)
      const again: Conversation['invoke'] = (given, by) => {
        const asAnswering = { ...call, principal: toAnswering(call.principal, by) }
        return invoke(invocation, asAnswering, { params, answers: given, deadline })
      }
      return askInline(reply, { ...context, deadline, invoke: again })
    },
  }
}

/** Nothing in it says that it was made before. */
function isFirst({ inputResponses, requestState }: CallParams): boolean {
  return inputResponses === undefined && requestState === undefined
}

/** Where somebody measures the request, what it calls belongs to that span. */
function toTrace({ carried, trace }: McpCall): Trace | undefined {
  return trace?.traceparent === undefined ? carried : { ...carried, traceparent: trace.traceparent }
}

function toDeadline({ pass: { metadata }, startedAt }: FunctionCall, { limits }: McpCall): Deadline {
  return createDeadline({ clientMs: limits.timeoutMs, functionMs: metadata.timeout_ms, startedAt })
}
