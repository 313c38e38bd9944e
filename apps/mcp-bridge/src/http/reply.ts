import { formatError, formatResult, RPC, type RpcError, type RpcId } from '../rpc.ts'
import { takesOnlyEventStream } from './media-type.ts'

/** What a function answers to the engine's http trigger (engine contract, "Response contract", form A). */
export interface HttpReply {
  readonly status_code: number
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as it is when there is a content type; null sends nothing. */
  readonly body: string | null
}

/** Writes replies in the form that the client takes. */
export interface ReplyWriter {
  result(id: RpcId, resultText: string, headers?: Readonly<Record<string, string>>): HttpReply
  error(status: number, id: RpcId | null, error: RpcError, headers?: Readonly<Record<string, string>>): HttpReply
}

/** Nothing to say. It is the content type that keeps the engine from sending `{}`. */
export function toEmptyReply(status: number): HttpReply {
  return { status_code: status, headers: JSON_HEADERS, body: null }
}

const JSON_HEADERS = { 'content-type': 'application/json' }
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * A whole reply is one value either way: JSON, or, for a client that takes nothing but an event stream, one SSE frame. Both go
 * as text, which the engine passes on as it is, so that object keys stay in order.
 */
export function toReplyWriter(accept: string | undefined): ReplyWriter {
  const stream = takesOnlyEventStream(accept)
  const own = stream ? STREAM_HEADERS : JSON_HEADERS
  const reply = (status: number, text: string, headers?: Readonly<Record<string, string>>): HttpReply => ({
    status_code: status,
    headers: headers === undefined ? own : { ...own, ...headers },
    body: stream ? `event: message\ndata: ${text}\n\n` : text,
  })
  return {
    result: (id, resultText, headers) => reply(200, formatResult(id, resultText), headers),
    error(status, id, error, headers) {
      const busy = error.code === RPC.overloaded ? { 'retry-after': '1' } : {}
      return reply(status, formatError(id, error), { ...headers, ...busy })
    },
  }
}
