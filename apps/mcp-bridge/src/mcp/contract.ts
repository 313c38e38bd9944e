import type { JsonObject } from '@iii/protocol'
import type { McpCall, McpClient } from './call.ts'
import type { RequestTrace } from './call-trace.ts'
import type { CallKind } from './ended-call.ts'

/** A request to a method. */
export interface UnwrappedCall {
  readonly params: JsonObject
  readonly call: McpCall
}

/** A request as it is measured. */
export interface MeasuredRequest {
  readonly method: string
  /** Is there such a method? Anything else is what a client has thought of. */
  readonly isKnown: boolean
  readonly kind: CallKind | undefined
  /** What is asked for, where the method has a parameter that names it. */
  readonly name: string | undefined
  /** The tool that it came through, where another one calls it. */
  readonly via: string | undefined
  readonly params: JsonObject
  readonly call: McpCall
}

/** Measures requests from their beginning to their end, while anybody wants to know. */
export interface Meter {
  measure: ((request: MeasuredRequest) => RequestTrace) | undefined
}

/** What an `initialize` asks for, and what the session that it opens is made of. */
export interface SessionRequest {
  readonly revision: string
  readonly client: McpClient | undefined
  readonly capabilities: JsonObject
}

/** MCP, for every transport: a carrier looks at the facts of a method, makes a call, and sends the text. */
export interface McpServer {
  /** The parameter that a 2026-07-28 client repeats in a header, for methods that have one. */
  nameParam(method: string): string | undefined
  /** What a request opens a session with, for the method that does. */
  sessionRequest(method: string, params: JsonObject): SessionRequest | undefined
  /** @returns the result as JSON text, complete for the era of the call. @throws RpcError, and nothing else */
  handle(method: string, params: JsonObject, call: McpCall): Promise<string>
}
