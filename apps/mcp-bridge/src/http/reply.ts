import { isRecord } from '@iii/protocol'
import { type Headers, toNoId } from '../mcp/era.ts'
import { formatRpcError, RPC, RpcError, type RpcId, withoutLineEnds } from '../mcp/rpc.ts'
import { type ReplyForm, toReplyForm } from './request.ts'

/** What a function answers to the engine's http trigger (engine contract, "Response contract", form A). */
export interface HttpReply {
  readonly status_code: number
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as it is when there is a content type; null sends nothing. */
  readonly body: string | null
}

export type HeaderFields = Readonly<Record<string, string>>

/** Writes replies in the form that the client takes. */
export interface ReplyWriter {
  readonly form: ReplyForm
  /** What every reply to this request says in its head, beside what it is. */
  readonly headers: HeaderFields
  /** A JSON-RPC message that is text already. */
  message(status: number, message: string, headers?: HeaderFields): HttpReply
  /** @param id null where none could be read */
  error(status: number, id: RpcId | null, error: RpcError, headers?: HeaderFields): HttpReply
}

/** Nothing to say. It is the content type that keeps the engine from sending `{}`. */
export function toEmptyReply(status: number): HttpReply {
  return { status_code: status, headers: JSON_HEADERS, body: null }
}

const JSON_HEADERS: HeaderFields = { 'content-type': 'application/json' }

const NO_HEADERS: HeaderFields = {}

/**
 * What a web page may read of a reply. The engine says which pages may call at all, and says this too only where every page may; who
 * may is for it alone to say.
 */
const EXPOSED: HeaderFields = { 'access-control-expose-headers': 'mcp-session-id, retry-after, www-authenticate' }

/** With them nothing on the way keeps events back or packs them. */
export const STREAM_HEADERS: HeaderFields = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** One JSON-RPC message as an event. */
export function toEvent(message: string): string {
  return `event: message\ndata: ${withoutLineEnds(message)}\n\n`
}

/** In seconds. What is only busy is free again in a moment. */
function toRetryAfter({ data }: RpcError): string {
  const seconds = isRecord(data) ? data['retry_after_seconds'] : undefined
  return typeof seconds === 'number' ? String(seconds) : '1'
}

/**
 * A whole reply is one value either way: JSON, or, for a client that takes nothing but an event stream, one SSE frame. Both go
 * as text, which the engine passes on as it is, so that object keys stay in order.
 */
export function toReplyWriter({ accept, origin, 'mcp-protocol-version': revision }: Headers): ReplyWriter {
  const form = toReplyForm(accept)
  const plain = form === 'event' ? STREAM_HEADERS : JSON_HEADERS
  const common = origin === undefined ? NO_HEADERS : EXPOSED
  const own = origin === undefined ? plain : { ...plain, ...EXPOSED }
  const message = (status: number, text: string, headers?: HeaderFields): HttpReply => ({
    status_code: status,
    headers: headers === undefined ? own : { ...own, ...headers },
    body: form === 'event' ? toEvent(text) : text,
  })
  return {
    form,
    headers: common,
    message,
    error(status, id, error, headers) {
      const busy = error.code === RPC.overloaded ? { 'retry-after': toRetryAfter(error) } : {}
      return message(status, formatRpcError(id ?? toNoId(revision?.trim()), error), { ...headers, ...busy })
    },
  }
}

export function tooLarge(maxBodyBytes: number): RpcError {
  return new RpcError(RPC.refused, `The request body is too large: this server takes at most ${maxBodyBytes} bytes`)
}

/** The reply to a request that is so large that it was not even read. */
export function toTooLargeReply(maxBodyBytes: number): HttpReply {
  return toReplyWriter({}).error(413, null, tooLarge(maxBodyBytes))
}
