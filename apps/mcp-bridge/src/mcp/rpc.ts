import { isRecord, type JsonObject, toFault, toPlainMessage } from '@iii/protocol'
import type { DiscoverResult, InputRequiredResult, ServerResult, TaskStatus } from '@modelcontextprotocol/server'
import type { Params } from './params.ts'

/** JSON-RPC 2.0 as MCP uses it: what a posted message is, and how a reply reads. */

export type RpcId = string | number

/** Codes of JSON-RPC, of MCP, and (from −32000 on) of this server. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Anything that HTTP refuses before the message counts. */
  refused: -32000,
  sessionNotFound: -32001,
  /** Sessionful revisions only; 2026-07-28 says invalidParams. */
  resourceNotFound: -32002,
  overloaded: -32003,
  /** Nobody who may ask: not -32001, at which clients open sessions again. */
  unauthorized: -32004,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** An error that a client reads as a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** @param problem what is wrong with them, and what would be right */
export function invalidParams(problem: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${problem}`)
}

/** @throws RpcError for a parameter that is missing, empty or no text */
export function requireText(value: unknown, name: string, method: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidParams(`${method} needs a non-empty string '${name}'`)
}

/** What a client reads of whatever was thrown. */
export function toRpcError(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError(RPC.internal, toFault(error).message)
}

export type Envelope =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: RpcId | null; readonly result: unknown; readonly error: unknown }
  | { readonly kind: 'invalid'; readonly id: RpcId | null; readonly error: RpcError }

const MAX_ID_LENGTH = 256
const MAX_METHOD_LENGTH = 256
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'] as const

/** A usable request id: a string of at most 256 characters or a safe integer (others change on the way). */
export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value)
}

/** Says what one posted JSON value is. Never throws; what is wrong with it is in the `invalid` kind. */
export function toEnvelope(message: unknown): Envelope {
  if (Array.isArray(message)) return invalid(null, 'Batch requests are not supported')
  if (!isRecord(message)) return invalid(null, 'Invalid JSON-RPC request: the message must be a JSON object')
  const id = isRpcId(message['id']) ? message['id'] : null
  const forbidden = forbiddenKey(message)
  if (forbidden !== undefined) return invalid(id, `Invalid JSON-RPC request: the key '${forbidden}' is not allowed`)
  if (message['jsonrpc'] !== '2.0') return invalid(id, 'Invalid JSON-RPC request: "jsonrpc" must be "2.0"')
  if (!('method' in message) && ('result' in message || 'error' in message)) {
    return { kind: 'response', id, result: message['result'], error: message['error'] }
  }
  return toCall(message, id)
}

function toCall(message: JsonObject, id: RpcId | null): Envelope {
  const { method } = message
  if (typeof method !== 'string' || method === '') {
    return invalid(id, 'Invalid JSON-RPC request: "method" must be a non-empty string')
  }
  if (method.length > MAX_METHOD_LENGTH) {
    return invalid(id, `Invalid JSON-RPC request: "method" is too long (at most ${MAX_METHOD_LENGTH} characters)`)
  }
  const params = message['params'] ?? {}
  if (!isRecord(params)) {
    return { kind: 'invalid', id, error: invalidParams('"params" must be an object') }
  }
  if (!('id' in message)) return { kind: 'notification', method, params }
  if (id === null) {
    return invalid(null, 'Invalid JSON-RPC request: "id" must be a string of at most 256 characters or a safe integer')
  }
  return { kind: 'request', id, method, params }
}

/** The reserved names, looked for where the envelope is read: the message, its params, their `_meta`. */
function forbiddenKey(message: JsonObject): string | undefined {
  const params = message['params']
  const meta = isRecord(params) ? params['_meta'] : undefined
  for (const part of [message, params, meta]) {
    if (!isRecord(part)) continue
    for (const key of FORBIDDEN_KEYS) if (Object.hasOwn(part, key)) return key
  }
  return undefined
}

function invalid(id: RpcId | null, message: string): Envelope {
  return { kind: 'invalid', id, error: new RpcError(RPC.invalidRequest, message) }
}

/** The reply to a request whose result is JSON text already. */
export function formatRpcResult(id: RpcId, resultText: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`
}

/** JSON text in one line: between its tokens somebody else may have written line ends, within them there are none. */
export function withoutLineEnds(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json
}

/**
 * The reply that says what went wrong.
 *
 * @param id null or undefined where none could be read: `toNoId` says which of the two a client understands
 */
export function formatRpcError(id: RpcId | null | undefined, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: toRpcErrorBody(error) })
}

/** An error as it goes out. */
export interface RpcErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Says what went wrong without stacks and paths. */
export function toRpcErrorBody({ code, message, data }: RpcError): RpcErrorBody {
  return { code, message: toPlainMessage(message), ...(data === undefined ? {} : { data }) }
}

/** What the client of a request calls it in `notifications/progress`; undefined where it does not want to hear of progress. */
export function readProgressToken({ _meta }: Params<'ping'>): string | number | undefined {
  const token = isRecord(_meta) ? _meta['progressToken'] : undefined
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as string | number) : undefined
}

/** The cursor of a request for a page. @returns undefined for the first page, for which some clients say null or nothing */
export function readCursor(cursor: unknown): unknown {
  return cursor === null || cursor === '' ? undefined : cursor
}

/** Members of a result that are JSON text already (`"tools":[…]`): they are built once and sent many times. */
export interface ReadyResult {
  readonly [READY]: string
  /** What is told beside them. */
  readonly _meta?: JsonObject
}

/** What a method brings: official types where MCP itself has the method, and what its extension for tasks has. */
export type MethodResult = ServerResult | DiscoverResult | InputRequiredResult | TaskStateResult
export type McpResult = MethodResult | ReadyResult

/**
 * A task, as the extension for tasks says how it stands (SEP-2663); the official types have another form of it. The answer to an update or a
 * cancellation says nothing.
 */
export interface TaskStateResult {
  readonly resultType?: 'task' | 'complete'
  readonly taskId?: string
  readonly status?: TaskStatus
  readonly statusMessage?: string
  readonly createdAt?: string
  readonly lastUpdatedAt?: string
  readonly ttlMs?: number
  readonly pollIntervalMs?: number
  /** What a client is asked, where that is what the task waits for. */
  readonly inputRequests?: object
  /** What came of it, once it is over. */
  readonly result?: object
  readonly error?: RpcErrorBody
}

const READY: unique symbol = Symbol('ready')

/** Wraps JSON members, without the braces around them and without `_meta`, as a result. */
export function toReady(members: string, _meta?: JsonObject): ReadyResult {
  return { [READY]: members, ...(_meta === undefined ? {} : { _meta }) }
}

/** The JSON members of a ready result, or undefined for an ordinary one. */
export function readyMembers(result: McpResult): string | undefined {
  return READY in result ? result[READY] : undefined
}
