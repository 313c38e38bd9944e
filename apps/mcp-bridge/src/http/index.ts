import type { Changes } from '../changes/index.ts'
import { toLockedError } from '../mcp/locked.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { Sessions } from '../sessions/index.ts'
import { type FrontDoorRules, refuseAtDoor } from './front-door.ts'
import { createGet } from './get.ts'
import { createListening } from './listening.ts'
import { createPost, type PostOptions, tooLarge } from './post.ts'
import { type HttpReply, type ReplyWriter, toEmptyReply, toReplyWriter } from './reply.ts'
import { type HttpRequest, idOf } from './request.ts'
import { createTracks } from './tracks.ts'

export interface HttpOptions extends Omit<PostOptions, 'tracks'> {
  readonly sessions: Sessions
  /** Tells of changes to whoever watches. */
  readonly watch: Changes['watch']
  readonly door: () => FrontDoorRules
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly locked: () => string | undefined
}

/**
 * MCP Streamable HTTP behind the engine's http trigger.
 *
 * @returns the reply, or null where it went out as a stream
 */
export type AnswerHttp = (request: HttpRequest) => Promise<HttpReply | null>

/** The reply to a request that is so large that it was not even read. */
export function toTooLargeReply(maxBodyBytes: number): HttpReply {
  return toReplyWriter({}).error(413, null, tooLarge(maxBodyBytes))
}

export function createHttp(options: HttpOptions): AnswerHttp {
  const { sessions, callers, streams, watch } = options
  const tracks = createTracks()
  const post = createPost({ ...options, tracks })
  const get = createGet({ callers, tracks, listening: createListening({ streams, tracks, watch }) })

  async function endSession({ headers }: HttpRequest, write: ReplyWriter): Promise<HttpReply> {
    const id = headers['mcp-session-id']
    if (!id) return write.error(405, null, refused('Method not allowed: there is no session to end'), { allow: 'POST' })
    if (await sessions.end(id)) return toEmptyReply(204)
    return write.error(404, null, new RpcError(RPC.sessionNotFound, 'Session not found'))
  }

  return async (request) => {
    const write = toReplyWriter(request.headers)
    const stranger = refuseAtDoor(request.headers, options.door())
    const lock = options.locked()
    if (lock !== undefined) {
      // What a configuration file holds is nothing for strangers, not even its first wrong line.
      return write.error(503, idOf(request), toLockedError(stranger === undefined ? lock : undefined))
    }
    if (stranger !== undefined) return write.error(403, idOf(request), refused(stranger))
    if (request.method === 'POST') return post(request, write)
    if (request.method === 'DELETE') return endSession(request, write)
    return get(request, write)
  }
}

function refused(message: string): RpcError {
  return new RpcError(RPC.refused, message)
}
