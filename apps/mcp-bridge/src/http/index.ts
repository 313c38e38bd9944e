import type { Logger, Worker } from '@iii/sdk'
import type { Changes } from '../changes/index.ts'
import type { BridgeLimits } from '../mcp/limits.ts'
import { toLockedError } from '../mcp/locked.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { Callers } from '../sessions/callers.ts'
import { serveQuestions } from '../sessions/shared-questions.ts'
import type { AnswerOptions } from './answer.ts'
import { type FrontDoorRules, refuseAtDoor } from './front-door.ts'
import { createGet } from './get.ts'
import { createPost } from './post.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, toReplyWriter } from './reply.ts'
import { type HttpRequest, idOf } from './request.ts'
import { createSessionStreams } from './session-streams.ts'
import { createStreams, type Streams } from './streams.ts'
import { createTracks } from './tracks.ts'

export interface HttpOptions extends Pick<AnswerOptions, 'server' | 'sessions'> {
  readonly callers: Callers
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
  readonly answer: AnswerHttp
  readonly streams: Streams
}

/**
 * MCP Streamable HTTP behind the engine's http trigger.
 *
 * @returns the reply, or null where it went out as a stream
 */
export type AnswerHttp = (request: HttpRequest) => Promise<HttpReply | null>

/** Puts on the engine what the carrier needs there, and hands out the carrier. */
export function serveHttp(worker: Worker, options: HttpOptions): Http {
  const { sessions, callers, watch, door, locked, limits, queueBytes = 4 * 1024 * 1024, graceMs = 300, log } = options
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
  const post = createPost({
    ...options,
    streams,
    tracks,
    questions: serveQuestions(worker, limits.engineTimeoutMs),
    silenceMs: limits.silenceMs,
    openReader: (ref) => worker.openChannelReader(ref),
    maxBodyBytes: limits.bodyBytes,
  })

  async function endSession({ headers }: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    const id = headers['mcp-session-id']
    if (!id) return write.error(405, null, refused('Method not allowed: there is no session to end'), { allow: 'POST' })
    if (await sessions.end(id)) return toEmptyReply(204)
    return write.error(404, null, new RpcError(RPC.sessionNotFound, 'Session not found'))
  }

  const answer: AnswerHttp = async (request) => {
    const write = toReplyWriter(request.headers)
    const stranger = refuseAtDoor(request.headers, door())
    const lock = locked()
    if (lock !== undefined) {
      // What a configuration file holds is nothing for strangers, not even its first wrong line.
      return write.error(503, idOf(request), toLockedError(stranger === undefined ? lock : undefined))
    }
    if (stranger !== undefined) return write.error(403, idOf(request), refused(stranger))
    if (request.method === 'POST') return post(request, write)
    if (request.method === 'DELETE') return endSession(request, write)
    return get(request, write)
  }
  return { answer, streams }
}

function refused(message: string): RpcError {
  return new RpcError(RPC.refused, message)
}
