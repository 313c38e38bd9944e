import type { JsonObject } from './rpc.ts'

/** Members of a result that are JSON text already (`"tools":[…]`): they are built once and sent many times. */
export interface ReadyResult {
  readonly [READY]: string
}

export type McpResult = JsonObject | ReadyResult

const READY: unique symbol = Symbol('ready')

/** Wraps JSON members, without the braces around them, as a result. */
export function toReady(members: string): ReadyResult {
  return { [READY]: members }
}

/** The JSON members of a ready result, or undefined for an ordinary one. */
export function readyMembers(result: McpResult): string | undefined {
  return READY in result ? (result as ReadyResult)[READY] : undefined
}
