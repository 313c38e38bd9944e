import type { ChannelReader, ChannelRef } from '@iii/sdk'
import { cancelCall } from '../mcp/exchange.ts'
import { type Envelope, RPC, RpcError, toEnvelope, toRpcError } from '../mcp/rpc.ts'
import type { Callers, Headers, RpcRequest } from '../sessions/callers.ts'
import { type AnswerOptions, createAnswer, toStatus } from './answer.ts'
import { refuseBodyType } from './media-type.ts'
import { type RawBody, readRawBody } from './raw-body.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, tooLarge } from './reply.ts'
import { type HttpRequest, idOf } from './request.ts'

export interface PostOptions extends AnswerOptions {
  readonly callers: Callers
  readonly openReader: (ref: ChannelRef) => Pick<ChannelReader, 'readAll' | 'terminate'>
  readonly maxBodyBytes: number
}

/** Answers a posted message. @returns null where a stream has carried the reply */
export type Post = (request: HttpRequest, write: ReplyWriter) => Promise<HttpReply | null>

const BODY_TIMEOUT_MS = 10_000

export function createPost(options: PostOptions): Post {
  const { callers, questions, maxBodyBytes } = options
  const answer = createAnswer(options)

  /** Notifications, and answers to what this server has asked. */
  async function takeIn(message: Incoming, headers: Headers, write: ReplyWriter): Promise<HttpReply> {
    try {
      const live = await callers.session(headers)
      if (live !== undefined && message.kind === 'response') {
        const { id, result, error } = message
        if (typeof id === 'string') questions.answer(live.facts.handle, { id, result, error })
      }
      if (live !== undefined && message.kind === 'notification') cancelCall(live.calls, message)
      return toEmptyReply(202)
    } catch (error) {
      const told = toRpcError(error)
      return write.error(toStatus(told, undefined), null, told)
    }
  }

  async function call(rpc: RpcRequest, request: HttpRequest, write: ReplyWriter): Promise<HttpReply | null> {
    const ref = write.form === 'json' ? undefined : request.response
    try {
      const who = await callers.identify(rpc, request.headers, ref !== undefined)
      return await answer({ rpc, who, ref, write })
    } catch (error) {
      const told = toRpcError(error)
      return write.error(toStatus(told, undefined), rpc.id, told)
    }
  }

  return async (request, write) => {
    const { headers } = request
    const unread = refuseUnread(request, write, maxBodyBytes)
    if (unread !== undefined) return unread
    const body = await readBody(request, options)
    if (body.kind === 'too-large') return write.error(413, null, tooLarge(maxBodyBytes))
    if (body.kind === 'not-json') return write.error(400, null, new RpcError(RPC.parse, `Parse error: ${body.reason}`))
    const envelope = toEnvelope(body.value)
    if (envelope.kind === 'invalid') return write.error(400, envelope.id, envelope.error)
    return envelope.kind === 'request' ? call(envelope, request, write) : takeIn(envelope, headers, write)
  }
}

type Incoming = Extract<Envelope, { kind: 'notification' | 'response' }>

/** What the headers alone are enough to refuse. */
function refuseUnread(request: HttpRequest, write: ReplyWriter, maxBodyBytes: number): HttpReply | undefined {
  const { headers } = request
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) {
    return write.error(413, idOf(request), tooLarge(maxBodyBytes))
  }
  const reason = refuseBodyType(headers)
  return reason === undefined ? undefined : write.error(415, idOf(request), new RpcError(RPC.refused, reason))
}

async function readBody(request: HttpRequest, { openReader, maxBodyBytes }: PostOptions): Promise<RawBody> {
  const { body, request_body: ref } = request
  if (body !== null && body !== undefined) return { kind: 'json', value: body }
  if (ref === undefined) return { kind: 'not-json', reason: 'the body is empty' }
  return readRawBody(openReader(ref), { maxBytes: maxBodyBytes, timeoutMs: BODY_TIMEOUT_MS })
}
