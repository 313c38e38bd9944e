import { checkDepth, DEFAULT_NAMESPACE, isRecord, type JsonObject, type McpSidecar } from '@iii/protocol'
import type { InputResponses } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/principal.ts'
import type { McpCall } from '../mcp/call.ts'
import type { CallParams } from '../mcp/params.ts'
import { ASKABLE } from './questions.ts'
import type { RunningCall } from './running-calls.ts'

/** What the client answered to the last questions, by their keys, and what the function gave to itself with them. */
export interface Answers {
  readonly responses: InputResponses
  readonly state: string | undefined
}

export interface SidecarFacts {
  /** The prefix under `mcp::` that belongs to this bridge process alone. */
  readonly via: string
  /** The bridge's own namespace. */
  readonly namespace: string | undefined
  readonly running: Pick<RunningCall, 'id' | 'namespace' | 'wantsProgress'>
  readonly call: Pick<McpCall, 'era' | 'principal' | 'client' | 'capabilities' | 'reach'>
  /** Those of the request. */
  readonly params: CallParams
  readonly own: Pick<McpSidecar, 'uri' | 'variables' | 'task' | 'max_result_bytes' | 'skills'> | undefined
  readonly answers: Answers | undefined
}

/** Makes what travels beside the payload of a call: who asks, how to reach them, and what they answered. */
export function toSidecar({
  via,
  namespace = DEFAULT_NAMESPACE,
  running,
  call,
  params,
  own,
  answers,
}: SidecarFacts): McpSidecar {
  const { client, principal } = call
  const meta = toMeta(params._meta)
  return {
    call_id: running.id,
    via,
    ...(running.namespace === undefined ? {} : { via_namespace: namespace }),
    ...(principal.method === 'off' ? {} : { principal: toClaim(principal) }),
    ...(client === undefined ? {} : { client: { ...client } }),
    client_capabilities: toCapabilities(call),
    ...(meta === undefined ? {} : { meta }),
    ...(running.wantsProgress ? { progress: true } : {}),
    ...(answers === undefined ? {} : { input_responses: answers.responses }),
    ...(answers?.state === undefined ? {} : { request_state: answers.state }),
    ...own,
  }
}

/** Who asks, as far as it is a function's business: never a token. */
function toClaim({
  id,
  method,
  issuer,
  subject,
  scopes,
  grant,
  claims,
}: Principal): NonNullable<McpSidecar['principal']> {
  return {
    id,
    method,
    ...(issuer === undefined ? {} : { issuer }),
    ...(subject === undefined ? {} : { subject }),
    scopes: [...new Set([...scopes, ...(grant?.scopes ?? [])])],
    ...(claims === undefined ? {} : { claims: { ...claims } }),
  }
}

/** What the client can do here: where nobody would hear a question, it cannot be asked, whatever it declared. */
function toCapabilities({ era, capabilities, reach }: SidecarFacts['call']): JsonObject {
  if (era === 'stateless' || reach.ask !== undefined) return capabilities
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !ASKABLE.includes(name)))
}

/** Keys that MCP keeps for itself: `io.modelcontextprotocol/…`, `mcp.dev/…` and the like. */
const RESERVED = /^(?:[^/]*\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//
const MAX_META_LENGTH = 8_192

/** What a client says beside its request, for whoever understands it; nothing at all where that is too much. */
function toMeta(meta: unknown): JsonObject | undefined {
  if (!isRecord(meta)) return undefined
  const own = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !RESERVED.test(key))
  if (own.length === 0 || checkDepth(own) !== undefined) return undefined
  return JSON.stringify(own).length > MAX_META_LENGTH ? undefined : Object.fromEntries(own)
}
