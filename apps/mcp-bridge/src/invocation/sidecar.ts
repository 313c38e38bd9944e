import {
  checkDepth,
  DEFAULT_NAMESPACE,
  isRecord,
  isReservedMetaKey,
  type JsonObject,
  type McpSidecar,
} from '@iii/protocol'
import type { InputResponses } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/principal.ts'
import type { McpCall } from '../mcp/call.ts'
import { META } from '../mcp/era.ts'
import type { CallParams } from '../mcp/params.ts'
import { ASKABLE } from './questions.ts'
import type { RunningCall } from './running-calls.ts'

/** What the client answered to the last questions, by their keys, and what the function gave to itself with them. */
export interface RoundAnswers {
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
  readonly answers: RoundAnswers | undefined
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
  // Member by member: each that is spread takes V8 longer than all of this.
  const sidecar: McpSidecar = { call_id: running.id, via }
  if (running.namespace !== undefined) sidecar.via_namespace = namespace
  if (principal.method !== 'off') sidecar.principal = toClaim(principal)
  if (client !== undefined) sidecar.client = { name: client.name, version: client.version }
  sidecar.client_capabilities = toCapabilities(call)
  if (meta !== undefined) sidecar.meta = meta
  if (running.wantsProgress) sidecar.progress = true
  if (answers !== undefined) sidecar.input_responses = answers.responses
  if (answers?.state !== undefined) sidecar.request_state = answers.state
  return own === undefined ? sidecar : Object.assign(sidecar, own)
}

type Claim = NonNullable<McpSidecar['principal']>

const claimsMade = new WeakMap<Principal, Claim>()

/** Who asks, as far as it is a function's business: never a token. It is the same for each call of a principal. */
function toClaim(principal: Principal): Claim {
  const made = claimsMade.get(principal) ?? makeClaim(principal)
  claimsMade.set(principal, made)
  return made
}

function makeClaim({ id, method, issuer, subject, scopes, grant, claims }: Principal): Claim {
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

/** Those that every request of 2026-07-28 has, and what the bridge takes for itself. */
const USUAL = new Set(['progressToken', ...Object.values<string>(META)])
const MAX_META_LENGTH = 8_192

function isOwn(key: string): boolean {
  return !USUAL.has(key) && !isReservedMetaKey(key)
}

/** What a client says beside its request, for whoever understands it; nothing at all where that is too much. */
function toMeta(meta: unknown): JsonObject | undefined {
  if (!isRecord(meta)) return undefined
  const names = Object.keys(meta).filter(isOwn)
  if (names.length === 0) return undefined
  const own = names.map((name): [string, unknown] => [name, meta[name]])
  if (checkDepth(own) !== undefined) return undefined
  return JSON.stringify(own).length > MAX_META_LENGTH ? undefined : Object.fromEntries(own)
}
