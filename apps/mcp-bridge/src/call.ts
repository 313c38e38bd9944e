import { isObject, type JsonObject } from './rpc.ts'

/**
 * How a request came: within a session (revisions up to 2025-11-25), with all about the client in each request
 * (2026-07-28), or plain: neither, as a script with curl does it.
 */
export type Era = 'session' | 'stateless' | 'plain'

export interface McpClient {
  readonly name: string
  readonly version: string
}

/** Who asks, and within which limits. The same for every transport: a room never learns which one it was. */
export interface McpCall {
  readonly era: Era
  /** Protocol revision that the reply is written in. */
  readonly revision: string
  readonly client: McpClient | undefined
  /** What the client declared that it can do. */
  readonly capabilities: JsonObject
  readonly limits: CallLimits
  /** Aborted when nobody waits for the reply any more; undefined where the transport cannot tell. */
  readonly signal?: AbortSignal | undefined
}

export interface CallLimits {
  /** Time for the whole request, in milliseconds. */
  readonly timeoutMs: number
  /** Largest reply that the transport can carry, in bytes. */
  readonly replyBytes: number
}

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

const MAX_NAME_LENGTH = 64
const MAX_VERSION_LENGTH = 32

/** What a client says of itself, as short printable ASCII: it goes into logs and session ids. */
export function toClient(info: unknown): McpClient | undefined {
  if (!isObject(info)) return undefined
  const name = toLabel(info['name'], MAX_NAME_LENGTH)
  return name === '' ? undefined : { name, version: toLabel(info['version'], MAX_VERSION_LENGTH) }
}

function toLabel(value: unknown, length: number): string {
  return typeof value === 'string' ? value.slice(0, length).replace(/[^\x20-\x7e]/g, '?') : ''
}
