/** What a bridge bears. */
export interface BridgeLimits {
  /** Largest request body. */
  readonly bodyBytes: number
  /** Largest reply: the engine reads a message of 16 MiB, and a reply travels in one. */
  readonly replyBytes: number
  /** Calls of functions at once. */
  readonly callsAtOnce: number
  /** How long a plain reply may take; less where the engine's HTTP port waits less. */
  readonly replyMs: number
  /** How long one may take that becomes a stream. */
  readonly streamMs: number
  /** So long nothing may come of a request before its reply becomes a stream. */
  readonly silenceMs: number
  /** How often a stream carries a comment, so that it stays open and a reader that has left is noticed. */
  readonly keepAliveMs: number
  /** How long the reader of a stream may stay behind. */
  readonly stallMs: number
  /** Streams open at once, in all and for one session. */
  readonly streamsAtOnce: number
  readonly streamsPerSession: number
  /** For questions to the engine itself. */
  readonly engineTimeoutMs: number
  /** For its list of all functions: without that nothing is listed or called, and on a slow network it takes its time. */
  readonly functionListMs: number
  /** How long another bridge, or the worker of a task, may be away before it counts as gone. */
  readonly awayMs: number
}

/** What an engine parses of JSON; deeper values reach a function as null, or not at all. */
export const ENGINE_JSON = { maxDepth: 127, maxNodes: 1_000_000 } as const

export const BRIDGE_LIMITS: BridgeLimits = {
  bodyBytes: 4 * 1024 * 1024,
  replyBytes: 16 * 1024 * 1024,
  callsAtOnce: 256,
  replyMs: 25_000,
  streamMs: 300_000,
  silenceMs: 5_000,
  keepAliveMs: 10_000,
  stallMs: 30_000,
  streamsAtOnce: 1_024,
  streamsPerSession: 16,
  engineTimeoutMs: 2_000,
  functionListMs: 8_000,
  awayMs: 10_000,
}
