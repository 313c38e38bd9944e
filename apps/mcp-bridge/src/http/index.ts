import type { ChannelReader, ChannelRef } from '@iii/sdk'
import { UNREACHABLE } from '../call.ts'
import type { Caller, Callers, Headers, RpcRequest } from '../callers.ts'
import { isObject, isRpcId, RPC, RpcError, type RpcId, toEnvelope, toRpcError } from '../rpc.ts'
import type { McpServer } from '../server.ts'
import type { Sessions } from '../sessions/index.ts'
import { type FrontDoorRules, refuseAtDoor } from './front-door.ts'
import { refuseBodyType } from './media-type.ts'
import { type RawBody, readRawBody } from './raw-body.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, toReplyWriter } from './reply.ts'
import type { HttpRequest } from './request.ts'

export interface HttpOptions {
  readonly server: McpServer
  readonly sessions: Sessions
  readonly callers: Callers
  readonly door: () => FrontDoorRules
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly locked: () => string | undefined
  readonly openReader: (ref: ChannelRef) => Pick<ChannelReader, 'readAll' | 'terminate'>
  readonly maxBodyBytes: number
}

/** MCP Streamable HTTP behind the engine's http trigger; every reply is a single one. */
export type AnswerHttp = (request: HttpRequest) => Promise<HttpReply>

const BODY_TIMEOUT_MS = 10_000

/** The reply to a request that is so large that it was not even read. */
export function toTooLargeReply(maxBodyBytes: number): HttpReply {
  return toReplyWriter(undefined).error(413, null, tooLarge(maxBodyBytes))
}

export function createHttp(options: HttpOptions): AnswerHttp {
  const { server, sessions, callers, maxBodyBytes } = options

  async function post(request: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    const { headers } = request
    const unread = refuseUnread(request, write, maxBodyBytes)
    if (unread !== undefined) return unread
    const body = await readBody(request, options)
    if (body.kind === 'too-large') return write.error(413, null, tooLarge(maxBodyBytes))
    if (body.kind === 'not-json') return write.error(400, null, new RpcError(RPC.parse, `Parse error: ${body.reason}`))
    const envelope = toEnvelope(body.value)
    if (envelope.kind === 'invalid') return write.error(400, envelope.id, envelope.error)
    return envelope.kind === 'request' ? call(envelope, headers, write) : takeIn(headers, write)
  }

  /** Notifications, and answers to questions that this server did not ask. */
  function takeIn(headers: Headers, write: ReplyWriter): Promise<HttpReply> {
    return callers.session(headers).then(
      () => toEmptyReply(202),
      (error: unknown) => write.error(toStatus(toRpcError(error), undefined), null, toRpcError(error)),
    )
  }

  async function call(request: RpcRequest, headers: Headers, write: ReplyWriter): Promise<HttpReply> {
    const { id, method, params } = request
    let who: Caller | undefined
    try {
      who = await callers.identify(request, headers)
      const { signal } = new AbortController()
      const result = await server.handle(method, params, { ...who, signal, reach: UNREACHABLE })
      const opening = who.era === 'plain' ? server.sessionRequest(method, params) : undefined
      return write.result(id, result, opening && { 'mcp-session-id': sessions.mint(opening) })
    } catch (error) {
      const told = toRpcError(error)
      return write.error(toStatus(told, who), id, told)
    }
  }

  async function endSession({ headers }: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    const id = headers['mcp-session-id']
    if (!id) return write.error(405, null, refused('Method not allowed: there is no session to end'), { allow: 'POST' })
    if (await sessions.end(id)) return toEmptyReply(204)
    return write.error(404, null, new RpcError(RPC.sessionNotFound, 'Session not found'))
  }

  return async (request) => {
    const write = toReplyWriter(request.headers['accept'])
    const stranger = refuseAtDoor(request.headers, options.door())
    const lock = options.locked()
    if (lock !== undefined) {
      // What a configuration file holds is nothing for strangers, not even its first wrong line.
      const reason = stranger === undefined ? `: ${lock}` : ''
      return write.error(503, idOf(request), refused(`This server is locked by its configuration${reason}`))
    }
    if (stranger !== undefined) return write.error(403, idOf(request), refused(stranger))
    if (request.method === 'POST') return post(request, write)
    if (request.method === 'DELETE') return endSession(request, write)
    const noStream = refused('Method not allowed: this server has no stream to listen to')
    return write.error(405, null, noStream, { allow: 'POST, DELETE' })
  }
}

/** What the headers alone are enough to refuse. */
function refuseUnread(request: HttpRequest, write: ReplyWriter, maxBodyBytes: number): HttpReply | undefined {
  const { headers } = request
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) {
    return write.error(413, idOf(request), tooLarge(maxBodyBytes))
  }
  const reason = refuseBodyType(headers)
  return reason === undefined ? undefined : write.error(415, idOf(request), refused(reason))
}

async function readBody(request: HttpRequest, { openReader, maxBodyBytes }: HttpOptions): Promise<RawBody> {
  const { body, request_body: ref } = request
  if (body !== null && body !== undefined) return { kind: 'json', value: body }
  if (ref === undefined) return { kind: 'not-json', reason: 'the body is empty' }
  return readRawBody(openReader(ref), { maxBytes: maxBodyBytes, timeoutMs: BODY_TIMEOUT_MS })
}

/** In the older revisions an error is an answer like any other; 2026-07-28 gives some a status of their own. */
function toStatus({ code }: RpcError, who: Caller | undefined): number {
  if (code === RPC.sessionNotFound) return 404
  if (code === RPC.overloaded) return 429
  if (code === RPC.internal) return 200
  if (who === undefined || code === RPC.missingCapability) return 400
  return who.era === 'stateless' && code === RPC.methodNotFound ? 404 : 200
}

function idOf({ body }: HttpRequest): RpcId | null {
  const id = isObject(body) ? body['id'] : undefined
  return isRpcId(id) ? id : null
}

function refused(message: string): RpcError {
  return new RpcError(RPC.refused, message)
}

function tooLarge(maxBodyBytes: number): RpcError {
  return refused(`The request body is too large: this server takes at most ${maxBodyBytes} bytes`)
}
