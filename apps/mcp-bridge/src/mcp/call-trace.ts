import type { CallOutcome } from '@iii/protocol'
import type { McpResult, RpcError } from './rpc.ts'

/** Hears how a request ends. */
export interface RequestEnd {
  /** @param text the result as it goes out */
  answered(result: McpResult, text: string): void
  refused(error: RpcError): void
}

/** Hears what becomes of a call from whatever part of the bridge knows it. */
export interface CallTrace {
  /** The span that functions which are called for it belong to (W3C Trace Context); undefined where none was begun. */
  readonly traceparent?: string
  /** The function that was asked for, by its key, and what the gate says. */
  leadsTo(functionId: string, decision: GateDecision): void
  /** It is invoked; again where the client was asked something. */
  invoked(callId: string): void
  /** An invocation brought no result, for this reason. */
  failed(code: string): void
  /** The call goes on as a task, whose end is told by itself. */
  task(): TaskTrace
}

/** A request from its beginning to its end. */
export interface RequestTrace extends CallTrace, RequestEnd {}

/** A task from its beginning to its end. */
export interface TaskTrace extends CallTrace {
  ended(outcome: CallOutcome, bytes: number, code?: string): void
}

/** What the gate says of a function, as far as it matters here. */
export type GateDecision =
  | { readonly allowed: true; readonly functionId: string; readonly detail: JudgedFunction }
  | {
      readonly allowed: false
      readonly reason: string
      /** What stands behind it that no client may know. */
      readonly why?: string
    }

export interface JudgedFunction {
  readonly requestSchema: unknown
  readonly metadata: unknown
}

/** One that tells two. */
export function joinTraces(first: RequestTrace | undefined, second: RequestTrace): RequestTrace {
  if (first === undefined) return second
  const both = [first, second]
  return {
    ...joinCalls(first, second),
    answered: (result, text) => both.forEach((trace) => void trace.answered(result, text)),
    refused: (error) => both.forEach((trace) => void trace.refused(error)),
  }
}

function joinCalls(first: CallTrace, second: CallTrace): CallTrace {
  const traceparent = first.traceparent ?? second.traceparent
  const both = [first, second]
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    leadsTo: (functionId, decision) => both.forEach((trace) => void trace.leadsTo(functionId, decision)),
    invoked: (callId) => both.forEach((trace) => void trace.invoked(callId)),
    failed: (code) => both.forEach((trace) => void trace.failed(code)),
    task: () => joinTasks(first.task(), second.task()),
  }
}

function joinTasks(first: TaskTrace, second: TaskTrace): TaskTrace {
  const both = [first, second]
  return {
    ...joinCalls(first, second),
    ended: (outcome, bytes, code) => both.forEach((trace) => void trace.ended(outcome, bytes, code)),
  }
}
