import { type McpMetadata, type McpSidecar, toFault } from '@iii/protocol'
import { type Logger, TriggerAction, type Worker } from '@iii/sdk'
import type { Gate } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import type { McpCall } from '../mcp/call.ts'
import type { JsonObject } from '../mcp/rpc.ts'
import type { Seal } from '../sessions/seal.ts'
import { type Answer, toAnswer } from './answer.ts'
import { createAsking, type Outcome, readRetry, toContext } from './asking.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { explainFailure, type Failure, isGivenUp } from './outcome.ts'
import { createRunningCalls, type RunningCall } from './running-calls.ts'
import { type Answers, toSidecar } from './sidecar.ts'
import type { Slots } from './slots.ts'
import { serveWhileRunning } from './while-running.ts'

/** A function that is called for an MCP client, and how. */
export interface Invocation {
  readonly functionId: string
  /** Where the function is, and what it names without saying where. @default the bridge's own */
  readonly namespace?: string | undefined
  /** What the function says of itself; `{}` where that is not known. */
  readonly metadata: McpMetadata
  /** What this call adds to the sidecar. */
  readonly sidecar?: Pick<McpSidecar, 'uri' | 'variables' | 'task' | 'max_result_bytes'>
  /** When the request came, of `performance.now()`; its deadline counts from there. @default now */
  readonly startedAt?: number
  /** Makes the call, past the gate. */
  send(options: SendOptions): Promise<unknown>
}

export interface SendOptions {
  /** Goes beside the payload: the sidecar. */
  readonly metadata: { readonly mcp: McpSidecar }
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type { Answer } from './answer.ts'
export type { Outcome } from './asking.ts'
export type { Answers } from './sidecar.ts'

/** Every call of a function for a client is made here. */
export interface Invoker {
  /**
   * The answers that a 2026-07-28 client sends with a request that it repeats; undefined for one that it makes the first time.
   *
   * @throws RpcError for what is malformed, and for a state that is not ours
   */
  answersIn(functionId: string, params: JsonObject): Promise<Answers | undefined>
  /**
   * One invocation: with a sidecar, reachable while it runs, until its deadline or until nobody waits any more. Then the function named by
   * `mcp.cancel` is told.
   *
   * @throws RpcError `overloaded` before the call was made, and for what the function wants to be an error of the protocol; the
   *   InvocationError of a function that is not there (`isAbsent`); else a Fault in words for the client
   */
  once(invocation: Invocation, call: McpCall, params: JsonObject, answers?: Answers): Promise<Answer>
  /**
   * A whole call: what the function wants to know first is asked of the client in the way of its era. The time of the client's answers is
   * not the function's.
   *
   * @throws as `once`; RpcError for answers that are malformed or forged, and for what a 2026-07-28 client cannot be asked; a Fault
   *   that says so for any other client
   */
  run(invocation: Invocation, call: McpCall, params: JsonObject): Promise<Outcome>
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
}

/** Nobody waits for what comes of it. */
const NOTICE = { timeoutMs: 5_000, metadata: undefined, signal: undefined }

export function createInvoker({ worker, gate, via, slots, seal, log }: InvokerOptions): Invoker {
  const calls = createRunningCalls()
  const converse = createAsking(seal)
  serveWhileRunning(worker, { via, calls, gate })

  async function invoke(
    invocation: Invocation,
    call: McpCall,
    { params, answers, deadline }: { params: JsonObject; answers: Answers | undefined; deadline: Deadline },
  ): Promise<Answer> {
    const { functionId, namespace, metadata } = invocation
    const { limits, share, signal } = call
    const failure: Failure = { functionId, deadline, limits, timeoutMs: metadata.timeout_ms, signal }
    if (signal.aborted) throw explainFailure(signal.reason, failure)
    const running = calls.open(call, params, namespace)
    call.trace?.invoked(running.id)
    try {
      const facts = { via, namespace: worker.namespace, running, call, params, own: invocation.sidecar, answers }
      const options = { metadata: { mcp: toSidecar(facts) }, timeoutMs: deadline.leftMs(), signal }
      const value = await slots.run(share, () => invocation.send(options))
      await running.settled()
      return toAnswer(value, functionId)
    } catch (error) {
      if (isGivenUp(failure)) void cancel(metadata.cancel, running)
      const explained = explainFailure(error, failure)
      call.trace?.failed(toFault(explained).code)
      throw explained
    } finally {
      running.close()
    }
  }

  /** The engine tells no function that nobody waits for it; whoever wants to know names a function that we tell. */
  async function cancel(functionId: string | undefined, { id, namespace }: RunningCall): Promise<void> {
    if (functionId === undefined) return
    const key = toKey({ namespace, id: functionId })
    try {
      await gate.notify(key, { call_id: id }, { ...NOTICE, action: TriggerAction.Void() })
    } catch (error) {
      log.warn({ function_id: functionId, reason: String(error) }, 'a function could not be told that its call is over')
    }
  }

  return {
    answersIn: (functionId, params) => readRetry(params, toContext(functionId, params), seal),
    once: (invocation, call, params, answers) =>
      invoke(invocation, call, { params, answers, deadline: startDeadline(invocation, call) }),
    run(invocation, call, params) {
      const deadline = startDeadline(invocation, call)
      const { functionId } = invocation
      const again = (answers: Answers | undefined) => invoke(invocation, call, { params, answers, deadline })
      return converse({ functionId, call, params, deadline, invoke: again })
    },
  }
}

/** A function may ask for less time than its client has. */
function startDeadline({ metadata, startedAt }: Invocation, { limits }: McpCall): Deadline {
  return createDeadline(Math.min(limits.timeoutMs, metadata.timeout_ms ?? limits.timeoutMs), startedAt)
}
