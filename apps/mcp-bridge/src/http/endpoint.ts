import type { Call, ChannelReader, ChannelRef, Trace } from '@iii/sdk'
import type { Authentication } from '../auth/authentication.ts'
import { isUndecided, UNDECIDED } from '../auth/decision.ts'
import type { RecordDenial } from '../auth/denied-access.ts'
import type { Principal } from '../auth/principal.ts'
import { explainRevision } from '../mcp/era.ts'
import { cancelCall } from '../mcp/exchange.ts'
import { toLockedError } from '../mcp/locked-error.ts'
import { type Envelope, RPC, RpcError, type RpcId, toEnvelope, toRpcError } from '../mcp/rpc.ts'
import { type Callers, type RpcRequest, requireNotOver } from '../sessions/callers.ts'
import type { Sessions } from '../sessions/index.ts'
import type { SessionQuestions } from '../sessions/questions.ts'
import { admitRequest } from './admission.ts'
import { type AnswerRequest, toStatus } from './answer.ts'
import type { Get } from './get.ts'
import { type FrontDoorRules, refuseAtDoor } from './host-and-origin.ts'
import { isPageFor, toPageReply } from './page.ts'
import { type RawBody, readRawBody } from './raw-body.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, tooLarge, toReplyWriter } from './reply.ts'
import {
  type AdmittedRequest,
  type IncomingRequest,
  idOf,
  readHttpRequest,
  refuseBodyType,
  toAdmitted,
} from './request.ts'

export interface EndpointOptions {
  /** Answers a message that came by the bus, without HTTP around it. */
  readonly answerBare: (message: unknown, trace: Trace | undefined) => Promise<unknown>
  readonly door: () => FrontDoorRules
  readonly auth: Authentication
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly closed: () => string | undefined
  /** What everybody waits for until it is known whether they may be answered; undefined while it is. */
  readonly pending: () => Promise<void> | undefined
  readonly callers: Callers
  readonly sessions: Pick<Sessions, 'end'>
  readonly questions: Pick<SessionQuestions, 'answer'>
  /** Told of answers to what another session was asked. */
  readonly denied: RecordDenial
  readonly answer: AnswerRequest
  readonly get: Get
  readonly openReader: (ref: ChannelRef) => ChannelReader
  /** The largest body that is read. */
  readonly bodyBytes: number
}

/** What the endpoint's function does. @returns the reply, or null where it went out as a stream */
export type Endpoint = (payload: unknown, metadata: unknown, call: Pick<Call, 'trace'>) => unknown

/** Answers a request of somebody who was let in. @returns null where a stream has carried the reply */
type ServeAdmitted = (request: AdmittedRequest, write: ReplyWriter) => Reply

/** At once where nothing has to be waited for: each promise that follows another one costs a request. */
type Reply = HttpReply | Promise<HttpReply | null>

const BODY_TIMEOUT_MS = 10_000

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { answerBare, door, closed, pending, auth } = options
  const serve = createAdmitted(options)

  function answerHttp(request: IncomingRequest, trace: Trace | undefined): Reply {
    const write = toReplyWriter(request.headers)
    const isPage = request.method === 'GET' && isPageFor(request, door())
    const refusal = toDoorRefusal(request, isPage, door(), closed(), write)
    if (refusal !== undefined) return refusal
    if (isPage) return toPageReply()
    const { mode = 'off' } = door().auth ?? {}
    if (mode === 'off') return serve(toAdmitted(request, { principal: auth.everybody, trace }), write)
    return admitRequest(auth, request, write).then(
      (admission) => admission.refusal ?? serve(toAdmitted(request, { principal: admission.principal, trace }), write),
    )
  }

  function answerMessage(payload: unknown, trace: Trace | undefined): unknown {
    const request = readHttpRequest(payload)
    return request === undefined ? answerBare(payload, trace) : answerHttp(request, trace)
  }

  return (payload, _, { trace }) => {
    const known = pending()
    return known === undefined ? answerMessage(payload, trace) : known.then(() => answerMessage(payload, trace))
  }
}

function createAdmitted(options: EndpointOptions): ServeAdmitted {
  const { callers, sessions, answer, get, openReader, bodyBytes } = options
  const takeAnswer = createAnswerIntake(options)

  function readBody({ body, request_body: ref }: IncomingRequest): RawBody | Promise<RawBody> {
    if (body !== null && body !== undefined) return { kind: 'json', value: body }
    if (ref === undefined) return { kind: 'not-json', reason: 'the body is empty' }
    return readRawBody(openReader(ref), { maxBytes: bodyBytes, timeoutMs: BODY_TIMEOUT_MS })
  }

  function post(request: AdmittedRequest, write: ReplyWriter): Reply {
    const unread = refuseUnread(request, write, bodyBytes)
    if (unread !== undefined) return unread
    const read = readBody(request)
    return read instanceof Promise ? read.then((body) => take(body, request, write)) : take(read, request, write)
  }

  function take(body: RawBody, request: AdmittedRequest, write: ReplyWriter): Reply {
    if (body.kind === 'too-large') return write.error(413, null, tooLarge(bodyBytes))
    if (body.kind === 'not-json') return write.error(400, null, new RpcError(RPC.parse, `Parse error: ${body.reason}`))
    const envelope = toEnvelope(body.value)
    if (envelope.kind === 'invalid') return write.error(400, envelope.id, envelope.error)
    return envelope.kind === 'request' ? call(envelope, request, write) : takeIn(envelope, request, write)
  }

  async function call(rpc: RpcRequest, { headers, response, principal, trace }: AdmittedRequest, write: ReplyWriter) {
    const ref = write.form === 'json' ? undefined : response
    try {
      const who = await callers.identify(rpc, { principal, headers, canStream: ref !== undefined, trace })
      requireNotOver(who.live)
      return await answer({ rpc, who, ref, write })
    } catch (error) {
      return write.error(...toRefusal(error, rpc.id))
    }
  }

  /** Notifications, and answers to what this server has asked. */
  async function takeIn(message: Incoming, request: AdmittedRequest, write: ReplyWriter): Promise<HttpReply> {
    const refusal = refuseRevision(request, write)
    if (refusal !== undefined) return refusal
    const { headers, principal } = request
    try {
      const live = await callers.session(headers, principal)
      if (message.kind === 'response') void takeAnswer(message, live?.facts.handle, principal)
      else if (live !== undefined) cancelCall(live.calls, message)
      return toEmptyReply(202)
    } catch (error) {
      // The session may be there, and be somebody else's.
      if (message.kind === 'response') void takeAnswer(message, undefined, principal)
      return write.error(...toRefusal(error, null))
    }
  }

  async function endSession({ headers, principal }: AdmittedRequest, write: ReplyWriter): Promise<HttpReply> {
    const id = headers['mcp-session-id']
    if (!id) return write.error(405, null, refused('Method not allowed: there is no session to end'), { allow: 'POST' })
    if (await sessions.end(id, principal)) return toEmptyReply(204)
    return write.error(404, null, new RpcError(RPC.sessionNotFound, 'Session not found'))
  }

  return (request, write) => {
    if (request.method === 'POST') return post(request, write)
    const refusal = refuseRevision(request, write)
    if (refusal !== undefined) return refusal
    return request.method === 'DELETE' ? endSession(request, write) : get(request, write)
  }
}

/** Takes in answers. Whoever answers what another session was asked reads the same as anybody; the operator is told. */
function createAnswerIntake({ questions, denied }: Pick<EndpointOptions, 'questions' | 'denied'>) {
  return async ({ id, result, error }: Response, handle: string | undefined, principal: Principal): Promise<void> => {
    if (typeof id !== 'number' || (await questions.answer(handle, { id, result, error, by: principal }))) return
    denied({ decision: 'auth', reason: 'foreign-answer', principal })
  }
}

/** What those are told who are not let in. */
function toDoorRefusal(
  request: IncomingRequest,
  isPage: boolean,
  rules: FrontDoorRules,
  closed: string | undefined,
  write: ReplyWriter,
): HttpReply | undefined {
  // Whoever follows a link from another site to the page gets it: it is the same for everybody, and no other site can read or frame it.
  const stranger = refuseAtDoor(isPage ? { host: request.headers['host'] } : request.headers, rules)
  if (closed !== undefined) {
    // What a configuration file holds is nothing for strangers, not even its first wrong line.
    return write.error(503, idOf(request), toLockedError(stranger === undefined ? closed : undefined))
  }
  if (stranger !== undefined) return write.error(403, idOf(request), refused(stranger))
  return isUndecided(rules) ? write.error(503, idOf(request), refused(UNDECIDED)) : undefined
}

/** How a request is refused of which nothing more is known. */
function toRefusal(error: unknown, id: RpcId | null): [status: number, id: RpcId | null, error: RpcError] {
  const told = toRpcError(error)
  return [toStatus(told, undefined), id, told]
}

type Incoming = Extract<Envelope, { kind: 'notification' | 'response' }>
type Response = Extract<Envelope, { kind: 'response' }>

/** A request says by itself which revision it is of; anything else has the header alone. */
function refuseRevision({ headers }: IncomingRequest, write: ReplyWriter): HttpReply | undefined {
  const unserved = explainRevision(headers)
  return unserved && write.error(400, null, unserved)
}

/** What the headers alone are enough to refuse. */
function refuseUnread(request: IncomingRequest, write: ReplyWriter, maxBodyBytes: number): HttpReply | undefined {
  const { headers } = request
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) {
    return write.error(413, idOf(request), tooLarge(maxBodyBytes))
  }
  const reason = refuseBodyType(headers)
  return reason === undefined ? undefined : write.error(415, idOf(request), new RpcError(RPC.refused, reason))
}

function refused(message: string): RpcError {
  return new RpcError(RPC.refused, message)
}
