import type { Logger, Worker } from '@iii/sdk'
import type { Changes } from '../changes/index.ts'
import { cancelCall } from '../mcp/exchange.ts'
import type { BridgeLimits } from '../mcp/limits.ts'
import { toLockedError } from '../mcp/locked.ts'
import { type Envelope, RPC, RpcError, type RpcId, toEnvelope, toRpcError } from '../mcp/rpc.ts'
import type { Callers, RpcRequest } from '../sessions/callers.ts'
import { serveQuestions } from '../sessions/shared-questions.ts'
import { type AnswerOptions, createAnswer, toStatus } from './answer.ts'
import { type FrontDoorRules, refuseAtDoor } from './front-door.ts'
import { createGet } from './get.ts'
import { isPageFor, toPageReply } from './page.ts'
import { type RawBody, readRawBody } from './raw-body.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, tooLarge, toReplyWriter } from './reply.ts'
import { type HttpRequest, idOf, readHttpRequest, refuseBodyType } from './request.ts'
import { createSessionStreams } from './session-streams.ts'
import { createStreams, type Streams } from './streams.ts'
import { createTracks } from './tracks.ts'

export interface HttpOptions extends Pick<AnswerOptions, 'server' | 'sessions'> {
  readonly callers: Callers
  /** Answers a message that came by the bus, without HTTP around it. */
  readonly answerBare: (message: unknown) => Promise<unknown>
  /** Tells of changes to whoever watches. */
  readonly watch: Changes['watch']
  readonly door: () => FrontDoorRules
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly locked: () => string | undefined
  readonly limits: BridgeLimits
  /** What may wait for the reader of one stream. @default 4 MiB */
  readonly queueBytes?: number
  /** How long replies under way have when the bridge stops. @default 300 */
  readonly graceMs?: number
  readonly log: Logger
}

/** The HTTP carrier. */
export interface Http {
  /** What the endpoint's function does. @returns the reply, or null where it went out as a stream */
  readonly handler: (payload: unknown) => Promise<unknown>
  readonly streams: Streams
}

const BODY_TIMEOUT_MS = 10_000

/** MCP Streamable HTTP behind the engine's http trigger: puts on the engine what the carrier needs there, and hands it out. */
export function serveHttp(worker: Worker, options: HttpOptions): Http {
  const { sessions, callers, answerBare, watch, door, locked, limits, log } = options
  const { queueBytes = 4 * 1024 * 1024, graceMs = 300 } = options
  const streams = createStreams({
    openWriter: (ref) => worker.openChannelWriter(ref),
    timings: { keepAliveMs: limits.keepAliveMs, stallMs: limits.stallMs, queueBytes },
    atOnce: limits.streamsAtOnce,
    perOwner: limits.streamsPerSession,
    graceMs,
    log,
  })
  const tracks = createTracks()
  const get = createGet({ callers, tracks, sessionStreams: createSessionStreams({ streams, tracks, watch }) })
  const questions = serveQuestions(worker, limits.engineTimeoutMs)
  const answer = createAnswer({ ...options, streams, tracks, questions, silenceMs: limits.silenceMs })

  async function readBody({ body, request_body: ref }: HttpRequest): Promise<RawBody> {
    if (body !== null && body !== undefined) return { kind: 'json', value: body }
    if (ref === undefined) return { kind: 'not-json', reason: 'the body is empty' }
    return readRawBody(worker.openChannelReader(ref), { maxBytes: limits.bodyBytes, timeoutMs: BODY_TIMEOUT_MS })
  }

  async function post(request: HttpRequest, write: ReplyWriter): Promise<HttpReply | null> {
    const unread = refuseUnread(request, write, limits.bodyBytes)
    if (unread !== undefined) return unread
    const body = await readBody(request)
    if (body.kind === 'too-large') return write.error(413, null, tooLarge(limits.bodyBytes))
    if (body.kind === 'not-json') return write.error(400, null, new RpcError(RPC.parse, `Parse error: ${body.reason}`))
    const envelope = toEnvelope(body.value)
    if (envelope.kind === 'invalid') return write.error(400, envelope.id, envelope.error)
    return envelope.kind === 'request' ? call(envelope, request, write) : takeIn(envelope, request, write)
  }

  async function call(rpc: RpcRequest, { headers, response }: HttpRequest, write: ReplyWriter) {
    const ref = write.form === 'json' ? undefined : response
    try {
      return await answer({ rpc, who: await callers.identify(rpc, headers, ref !== undefined), ref, write })
    } catch (error) {
      return write.error(...toRefusal(error, rpc.id))
    }
  }

  /** Notifications, and answers to what this server has asked. */
  async function takeIn(message: Incoming, { headers }: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    try {
      const live = await callers.session(headers)
      if (live !== undefined && message.kind === 'response') {
        const { id, result, error } = message
        if (typeof id === 'string') questions.answer(live.facts.handle, { id, result, error })
      }
      if (live !== undefined && message.kind === 'notification') cancelCall(live.calls, message)
      return toEmptyReply(202)
    } catch (error) {
      return write.error(...toRefusal(error, null))
    }
  }

  async function endSession({ headers }: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    const id = headers['mcp-session-id']
    if (!id) return write.error(405, null, refused('Method not allowed: there is no session to end'), { allow: 'POST' })
    if (await sessions.end(id)) return toEmptyReply(204)
    return write.error(404, null, new RpcError(RPC.sessionNotFound, 'Session not found'))
  }

  async function answerHttp(request: HttpRequest): Promise<HttpReply | null> {
    const write = toReplyWriter(request.headers)
    const isPage = request.method === 'GET' && isPageFor(request, door())
    const refusal = toDoorRefusal(request, isPage, door(), locked(), write)
    if (refusal !== undefined) return refusal
    if (isPage) return toPageReply()
    if (request.method === 'POST') return post(request, write)
    if (request.method === 'DELETE') return endSession(request, write)
    return get(request, write)
  }

  return {
    streams,
    async handler(payload) {
      const request = readHttpRequest(payload)
      return request === undefined ? answerBare(payload) : answerHttp(request)
    },
  }
}

/** What those are told who are not let in. */
function toDoorRefusal(
  request: HttpRequest,
  isPage: boolean,
  rules: FrontDoorRules,
  lock: string | undefined,
  write: ReplyWriter,
): HttpReply | undefined {
  // Whoever follows a link from another site to the page gets it: it is the same for everybody, and no other site can read or frame it.
  const stranger = refuseAtDoor(isPage ? { host: request.headers['host'] } : request.headers, rules)
  if (lock !== undefined) {
    // What a configuration file holds is nothing for strangers, not even its first wrong line.
    return write.error(503, idOf(request), toLockedError(stranger === undefined ? lock : undefined))
  }
  return stranger === undefined ? undefined : write.error(403, idOf(request), refused(stranger))
}

function refused(message: string): RpcError {
  return new RpcError(RPC.refused, message)
}

/** How a request is refused of which nothing more is known. */
function toRefusal(error: unknown, id: RpcId | null): [status: number, id: RpcId | null, error: RpcError] {
  const told = toRpcError(error)
  return [toStatus(told, undefined), id, told]
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
