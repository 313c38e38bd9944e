import { STATELESS_REVISION } from '../mcp/era.ts'
import { formatRpcError, RPC, RpcError, toRpcError } from '../mcp/rpc.ts'
import { type Callers, requireNotOver } from '../sessions/callers.ts'
import type { LiveSession } from '../sessions/index.ts'
import { toStatus } from './answer.ts'
import type { EventStream } from './event-stream.ts'
import { type HttpReply, type ReplyWriter, STREAM_HEADERS, toEvent } from './reply.ts'
import type { AdmittedRequest } from './request.ts'
import type { SessionStreams } from './session-streams.ts'
import { parseEventId, type Tracks } from './tracks.ts'

export interface GetOptions {
  readonly callers: Callers
  readonly sessionStreams: SessionStreams
  readonly tracks: Tracks
}

/** Opens a stream for what no request is about, or takes one up again. @returns null where a stream was opened */
export type Get = (request: AdmittedRequest, write: ReplyWriter) => Promise<HttpReply | null>

const TOO_MANY =
  'Too many streams are open, in this session, for this caller or in all, and none that this session listens on can give its place up: try again in a second'

const UNOPENED = 'The stream could not be opened: try again in a second'

export function createGet({ callers, sessionStreams, tracks }: GetOptions): Get {
  /** @returns undefined when too many are open, and a reply where there is nothing to wait for */
  function open(
    live: LiveSession,
    { headers, response, principal }: AdmittedRequest,
    write: ReplyWriter,
  ): EventStream | HttpReply | undefined {
    if (response === undefined) return undefined
    const place = { ref: response, headers: write.headers, principal }
    const last = parseEventId(headers['last-event-id'] ?? '')
    const track = last && tracks.find(live, last.track)
    if (last !== undefined && track !== undefined) return sessionStreams.resume(live, track, last.seq, place)
    // What another process sent is not here, nor what is not kept any more; whoever waits for a reply on its stream would wait for ever.
    if (last?.request !== undefined) return toLostReply(last.request)
    return last === undefined ? sessionStreams.open(live, place) : sessionStreams.replace(live, place)
  }

  async function serve(request: AdmittedRequest, write: ReplyWriter): Promise<HttpReply | null> {
    const live = await callers.session(request.headers, request.principal)
    if (live === undefined) return toNoStream(request, write)
    requireNotOver(live)
    if (write.form === 'json') {
      return write.error(406, null, new RpcError(RPC.refused, 'Not acceptable: a stream is text/event-stream'))
    }
    const opened = open(live, request, write)
    if (opened === undefined) return write.error(429, null, new RpcError(RPC.overloaded, TOO_MANY))
    if (!('opened' in opened)) return opened
    return (await opened.opened) ? null : write.error(503, null, new RpcError(RPC.overloaded, UNOPENED))
  }

  return (request, write) => {
    if (isStateless(request)) return Promise.resolve(toNoStream(request, write))
    return serve(request, write).catch((error: unknown) => {
      const told = toRpcError(error)
      return write.error(toStatus(told, undefined), null, told)
    })
  }
}

function isStateless({ headers }: AdmittedRequest): boolean {
  return headers['mcp-protocol-version']?.trim() === STATELESS_REVISION
}

function toNoStream(request: AdmittedRequest, write: ReplyWriter): HttpReply {
  const none = 'Method not allowed: there is no stream to listen to without a session'
  const allow = isStateless(request) ? 'POST' : 'POST, DELETE'
  return write.error(405, null, new RpcError(RPC.refused, none), { allow })
}

function toLostReply(id: string | number): HttpReply {
  const text =
    'The reply was lost: it is kept no longer, or was for a server that serves this session no longer. The outcome is unknown.'
  return {
    status_code: 200,
    headers: STREAM_HEADERS,
    body: toEvent(formatRpcError(id, new RpcError(RPC.internal, text))),
  }
}
