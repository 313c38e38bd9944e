import type { Logger, Worker } from '@iii/sdk'
import type { Changes } from '../changes/index.ts'
import type { BridgeLimits } from '../mcp/limits.ts'
import { serveQuestions } from '../sessions/shared-questions.ts'
import { type AnswerOptions, createAnswer } from './answer.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts'
import { createGet } from './get.ts'
import { createPendingReplies } from './pending-replies.ts'
import { createSessionStreams } from './session-streams.ts'
import { createStreams, type EventStreams } from './streams.ts'
import { createTracks } from './tracks.ts'

export interface HttpOptions
  extends Pick<AnswerOptions, 'server' | 'sessions'>,
    Pick<EndpointOptions, 'callers' | 'answerBare' | 'door' | 'auth' | 'denied' | 'closed' | 'pending'> {
  /** Tells of changes to whoever watches. */
  readonly watch: Changes['watch']
  readonly limits: BridgeLimits
  /** What may wait for the reader of one stream. @default 4 MiB */
  readonly queueBytes?: number
  /** How long replies under way have when the bridge stops. @default 300 */
  readonly graceMs?: number
  readonly log: Logger
}

/** The HTTP carrier. */
export interface Http {
  /** What the endpoint's function does. */
  readonly handler: Endpoint
  readonly streams: EventStreams
}

/** MCP Streamable HTTP behind the engine's http trigger: puts on the engine what the carrier needs there, and hands it out. */
export function serveHttp(worker: Worker, options: HttpOptions): Http {
  const { callers, watch, limits, log } = options
  const { queueBytes = 4 * 1024 * 1024, graceMs = 300 } = options
  const replies = createPendingReplies()
  const streams = createStreams({
    openWriter: (ref) => worker.openChannelWriter(ref),
    timings: { keepAliveMs: limits.keepAliveMs, stallMs: limits.stallMs, queueBytes },
    atOnce: limits.streamsAtOnce,
    perOwner: limits.streamsPerSession,
    limitOf: (principal) => options.auth.limitsOf(principal).streams,
    follow: options.auth.follow,
    replies,
    graceMs,
    log,
  })
  const tracks = createTracks()
  const sessionStreams = createSessionStreams({ streams, tracks, watch })
  const get = createGet({ callers, tracks, sessionStreams })
  const questions = serveQuestions(worker, limits.engineTimeoutMs)
  const carriers = { streams, sessionStreams, replies, tracks, questions }
  const answer = createAnswer({ ...options, ...carriers, silenceMs: limits.silenceMs })
  const handler = createEndpoint({
    ...options,
    ...{ questions, answer, get },
    openReader: (ref) => worker.openChannelReader(ref),
    bodyBytes: limits.bodyBytes,
  })
  return { handler, streams }
}
