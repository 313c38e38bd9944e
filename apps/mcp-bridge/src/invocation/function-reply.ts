import { Fault, InputRequired, isRecord, ProtocolError } from '@iii/protocol'
import { formatIssues } from '@iii/sdk'
import { toJsonBytes } from '@iii/sdk/call-feed'
import type { McpCall } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** What one invocation brings: what the function returned, or what it wants to know first. */
export type FunctionReply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'questions'; readonly requests: FunctionQuestions; readonly state: string | undefined }

/** Requests to the client (`elicitation/create`, …) by keys of the function's choice. */
export type FunctionQuestions = InputRequired['input_requests']

/**
 * Reads what a function returned.
 *
 * @param era of the request that it was called for: which errors there are
 * @throws RpcError for what the function wants to be one; Fault `internal` for questions that are none
 */
export function readReply(value: unknown, functionId: string, era: McpCall['era']): FunctionReply {
  const type = isRecord(value) ? value['result_type'] : undefined
  if (type === 'protocol_error') {
    const refusal = ProtocolError.safeParse(value).data
    if (refusal !== undefined)
      throw new RpcError(toOwnCode(refusal.code, era), refusal.message, toOwnData(refusal.data))
  }
  if (type !== 'input_required') return { kind: 'value', value }
  const { data, error } = InputRequired.safeParse(value)
  if (data !== undefined) return { kind: 'questions', requests: data.input_requests, state: data.request_state }
  throw new Fault(
    'internal',
    `${functionId} wants to ask the client, and its questions are malformed: ${formatIssues(error.issues)}`,
  )
}

/** What a client does about these is not for a function to bring about: it would give its session or its token up, or send its request again. */
const KEPT_FOR_THE_SERVER: ReadonlySet<number> = new Set([
  RPC.methodNotFound,
  RPC.sessionNotFound,
  RPC.overloaded,
  RPC.unauthorized,
  RPC.headerMismatch,
  RPC.missingCapability,
  RPC.unsupportedVersion,
])

/** Details of an error are no place for a result, which would be cut. */
const MAX_DATA_BYTES = 65_536

function toOwnData(data: unknown): unknown {
  return toJsonBytes(data) > MAX_DATA_BYTES ? undefined : data
}

function toOwnCode(code: number, era: McpCall['era']): number {
  if (KEPT_FOR_THE_SERVER.has(code)) return RPC.internal
  if (era !== 'stateless') return code
  if (code === RPC.resourceNotFound) return RPC.invalidParams
  return isKeptForMcp(code) ? RPC.internal : code
}

/** 2026-07-28 says what each of these means, and that no server sends another one. */
function isKeptForMcp(code: number): boolean {
  return code <= -32_020 && code >= -32_099
}
