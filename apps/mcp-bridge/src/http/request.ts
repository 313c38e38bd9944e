import { isRecord } from '@iii/protocol'
import type { ChannelRef, Trace } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { Headers } from '../mcp/era.ts'
import { isRpcId, type RpcId } from '../mcp/rpc.ts'

/** What the engine's http trigger hands over (engine contract, "Request object delivered to the function"). */
export interface IncomingRequest {
  readonly method: string
  readonly headers: Headers
  /** The names in the query of the address. */
  readonly queryNames: readonly string[]
  readonly body?: unknown
  /** Where the raw bytes of the body are. */
  readonly request_body?: ChannelRef | undefined
  /** Where a reply can be streamed to. */
  readonly response?: ChannelRef | undefined
}

/** The same, of somebody who is known. */
export interface AdmittedRequest extends IncomingRequest {
  readonly principal: Principal
  /** The trace context that the engine brought it in. */
  readonly trace: Trace | undefined
}

/**
 * Reads the payload of a call as an HTTP request. The engine's are always whole; one that comes by `iii.trigger` may hold anything.
 *
 * @returns undefined for what is no HTTP request
 */
export function readHttpRequest(payload: unknown): IncomingRequest | undefined {
  if (!isRecord(payload)) return undefined
  const { method, headers, query_params, body, request_body, response } = payload
  if (typeof method !== 'string' || !isRecord(headers)) return undefined
  const queryNames = isRecord(query_params) ? Object.keys(query_params) : []
  return {
    method,
    headers: toHeaders(headers),
    queryNames,
    body,
    request_body: toRef(request_body, 'read'),
    response: toRef(response, 'write'),
  }
}

/** Each member by its name, see `toMcpCall`. */
export function toAdmitted(
  request: IncomingRequest,
  { principal, trace }: Pick<AdmittedRequest, 'principal' | 'trace'>,
): AdmittedRequest {
  const { method, headers, queryNames, body, request_body, response } = request
  return { method, headers, queryNames, body, request_body, response, principal, trace }
}

function toHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  for (const name in headers) if (typeof headers[name] !== 'string') return mend(headers)
  return headers as Headers
}

/** Numbers and booleans are what somebody forgot to quote; anything else is as unreadable as bytes that are no text are to the engine. */
function mend(headers: Readonly<Record<string, unknown>>): Headers {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isPlain(value) ? String(value) : '']))
}

/** @returns undefined also for the other end of a channel: nothing can be done with it here */
function toRef(ref: unknown, direction: ChannelRef['direction']): ChannelRef | undefined {
  if (!isRecord(ref)) return undefined
  const { channel_id, access_key } = ref
  if (typeof channel_id !== 'string' || typeof access_key !== 'string') return undefined
  return (ref['direction'] ?? direction) === direction ? { channel_id, access_key, direction } : undefined
}

/** The id of the message in a request that is refused unread; null where there is none. */
export function idOf({ body }: IncomingRequest): RpcId | null {
  const id = isRecord(body) ? body['id'] : undefined
  return isRpcId(id) ? id : null
}

/**
 * Says why a request body cannot be read, judging by its headers alone.
 *
 * @returns the reason, or undefined for uncompressed JSON
 */
export function refuseBodyType(headers: Headers): string | undefined {
  const { 'content-encoding': coding, 'content-type': type } = headers
  if (coding === undefined && type === 'application/json') return undefined
  const encoding = coding?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') return 'Content-Encoding is not supported: send the body uncompressed'
  const essence = (type ?? '').split(';', 1)[0]?.trim().toLowerCase()
  return essence === 'application/json' ? undefined : 'The Content-Type must be application/json'
}

/** The reply that a client takes: plain JSON, an event stream, or whichever fits. */
export type ReplyForm = 'json' | 'event' | 'either'

const MAX_KNOWN = 64
const known = new Map<string, ReplyForm>()

/** Reads an Accept header. What names neither form, and no header at all, means JSON: such a client cannot read events. */
export function toReplyForm(accept: string | undefined): ReplyForm {
  if (!accept) return 'json'
  const form = known.get(accept) ?? readForm(accept)
  // Clients of one kind all send the same few words.
  if (known.size < MAX_KNOWN) known.set(accept, form)
  return form
}

function readForm(accept: string): ReplyForm {
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
  if (!isTaken(ranges, ['text/event-stream', 'text/*', '*/*'])) return 'json'
  return isTaken(ranges, ['application/json', 'application/*', '*/*']) ? 'either' : 'event'
}

/** @param names what a type is called, the most exact first: the first that the header has decides */
function isTaken(ranges: readonly string[][], names: readonly string[]): boolean {
  for (const name of names) {
    const range = ranges.find(([type]) => type === name)
    if (range !== undefined) return !range.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  }
  return false
}
