import type { CallOutcome } from '@iii/protocol'
import type { McpResult, RpcError } from './rpc.ts'

/** Hears how a request ends. */
export interface RequestEnd {
  /** @param text the result as it goes out */
  answered(result: McpResult, text: string): void
  refused(error: RpcError): void
}

/** Hears from the rooms what becomes of a call; each says it where it knows. */
export interface CallTrace {
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
  | { readonly allowed: true; readonly detail: JudgedFunction }
  | { readonly allowed: false; readonly reason: string }

export interface JudgedFunction {
  readonly requestSchema: unknown
  readonly metadata: unknown
}
