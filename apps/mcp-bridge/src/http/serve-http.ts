import type { Logger, Worker } from '@iii/sdk'
import { serveQuestions } from '../sessions/shared-questions.ts'
import { type AnswerHttp, createHttp, type HttpOptions } from './index.ts'
import { createStreams, type Streams } from './streams.ts'

export interface HttpLimits {
  readonly bodyBytes: number
  readonly engineTimeoutMs: number
  /** So long nothing may come of a request before its reply becomes a stream. */
  readonly silenceMs: number
  /** How often a stream carries a comment, so that it stays open and a reader that has left is noticed. */
  readonly keepAliveMs: number
  /** How long the reader of a stream may stay behind. */
  readonly stallMs: number
  /** Streams open at once, in all and for one session. */
  readonly streamsAtOnce: number
  readonly streamsPerSession: number
}

export interface ServeHttpOptions
  extends Pick<HttpOptions, 'server' | 'sessions' | 'callers' | 'door' | 'locked' | 'watch'> {
  readonly limits: HttpLimits
  readonly log: Logger
}

/** What may wait for the reader of one stream, and how long replies under way have when the bridge stops. */
const STREAM_QUEUE_BYTES = 4 * 1024 * 1024
const STOP_GRACE_MS = 300

/** Puts on the engine what the HTTP carrier needs there, and hands out the carrier. */
export function serveHttp(
  worker: Worker,
  { limits, log, ...options }: ServeHttpOptions,
): { readonly answer: AnswerHttp; readonly streams: Streams } {
  const streams = createStreams({
    openWriter: (ref) => worker.openChannelWriter(ref),
    timings: { keepAliveMs: limits.keepAliveMs, stallMs: limits.stallMs, queueBytes: STREAM_QUEUE_BYTES },
    atOnce: limits.streamsAtOnce,
    perOwner: limits.streamsPerSession,
    graceMs: STOP_GRACE_MS,
    log,
  })
  const answer = createHttp({
    ...options,
    streams,
    questions: serveQuestions(worker, limits.engineTimeoutMs),
    silenceMs: limits.silenceMs,
    openReader: (ref) => worker.openChannelReader(ref),
    maxBodyBytes: limits.bodyBytes,
  })
  return { answer, streams }
}
