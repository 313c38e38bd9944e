import { Fault, parseFault, toFault } from '@iii/protocol'
import { type CancelSignal, InvocationError, isAbsent } from '@iii/sdk'
import type { CallLimits } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { Deadline } from './call-deadline.ts'

/** What is known of an invocation that brought no result. */
export interface Failure {
  readonly functionId: string
  /** It was called before, and has asked. */
  readonly hasAsked: boolean
  readonly deadline: Deadline
  readonly limits: CallLimits
  /** The function's own limit, in milliseconds. */
  readonly timeoutMs: number | undefined
  readonly signal: CancelSignal
}

/** Was it us who stopped waiting? The function may still run then, and wants to know. */
export function isGivenUp({ signal, deadline }: Failure): boolean {
  return signal.aborted || deadline.isOver()
}

/** Does its client not want it any more? Otherwise its time is over, or this server stops: whoever can go on by itself may. */
export function isOfClient({ signal }: Failure): boolean {
  const { code } = (signal.reason ?? {}) as Partial<RpcError>
  return signal.aborted && code !== RPC.overloaded && code !== RPC.internal
}

/** Why there is no result, in words that tell a model whether trying again is safe. */
export function explainFailure(error: unknown, failure: Failure): Error {
  const { functionId, deadline, signal } = failure
  if (error instanceof RpcError) return error
  if (isAbsent(error, functionId)) return failure.hasAsked ? explainLeaving(functionId, error) : (error as Error)
  if (signal.aborted) {
    const text = `${functionId} was given up: its client cancelled the call, or left. ${UNKNOWN}`
    return new Fault('deadline', text, { cause: error })
  }
  if (deadline.isOver()) {
    const text = `${functionId} did not answer within ${deadline.seconds} s. ${UNKNOWN} ${explainLimit(failure)}`
    return new Fault('deadline', text, { cause: error })
  }
  return explainInterruption(error, functionId)
}

/** The same of one that nobody has given up. */
export function explainInterruption(error: unknown, functionId: string): Fault {
  const fault = toFault(error)
  if (fault.code !== 'worker_lost' || isTold(error)) return fault
  const text = `${functionId} was interrupted, because ${explainLoss(error)}. The outcome is unknown. It was not called again.`
  return new Fault('worker_lost', text, { cause: error })
}

/** To whoever was asked by it, it is not unknown. */
function explainLeaving(functionId: string, cause: unknown): Fault {
  const text = `${functionId} went away while the client was asked. Nothing else is known of what it did. It was not called again.`
  return new Fault('unavailable', text, { cause })
}

/** Whether the function itself has said so, of somebody that it needed: its words say more than ours. */
function isTold(error: unknown): boolean {
  return error instanceof Error && parseFault(error.message) !== undefined
}

/** Our own connection is no fault of the worker, which may be well and finish its work. */
function explainLoss(error: unknown): string {
  const isOurs = error instanceof InvocationError && error.code === 'connection_lost'
  return isOurs ? 'the connection to the engine was lost' : 'its worker went away'
}

const UNKNOWN = 'The outcome is unknown: it may still finish. It was not called again.'

function explainLimit({ deadline, limits, timeoutMs }: Failure): string {
  const { seconds } = deadline
  if (limits.isTask && timeoutMs === undefined) {
    return '(A task may take no longer, unless its function asks for more in its metadata, mcp.timeout_ms.)'
  }
  if (limits.isTask) return '(The function asks for no more in its metadata, mcp.timeout_ms.)'
  if (timeoutMs !== undefined && timeoutMs <= limits.timeoutMs) {
    return `(${seconds} s is what the function asks for in its metadata, mcp.timeout_ms.)`
  }
  if (limits.timeoutMs > limits.plainMs) return `(${seconds} s is the most that a call may take here.)`
  return `(${seconds} s is the most that a plain reply may take; a client that accepts a stream can wait longer.)`
}
