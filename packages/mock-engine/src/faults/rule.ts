/** How long: so many milliseconds, or any whole number of them between two. */
export type Milliseconds = number | readonly [min: number, max: number]

/** Which of the occasions that fit a rule takes. */
interface Limits {
  /** How likely it strikes at an occasion. @default 1 */
  readonly chance?: number | undefined
  /** How often it strikes at most. @default as often as it can */
  readonly times?: number | undefined
  /** How many occasions it lets pass first. @default 0 */
  readonly skip?: number | undefined
}

/** Which calls a rule is about. In both patterns `*` stands for any characters. */
interface CallLimits extends Limits {
  /** The function that is called, such as `orders::*`. @default any */
  readonly function?: string | undefined
  /** Name or id of the worker that has the function, such as `orders` or `iii-state`. @default any */
  readonly worker?: string | undefined
}

/** A result that comes back so soon after the call was handed over is dropped; a copy that is sent later counts. */
export interface LoseEarlyResult extends CallLimits {
  readonly fault: 'lose-early-result'
  /** How soon is too soon, in milliseconds. @default 1 */
  readonly withinMs?: number | undefined
}

/** Every copy of a result is dropped: nobody ever hears of the call again, unless the worker leaves. */
export interface LoseResult extends CallLimits {
  readonly fault: 'lose-result'
}

/** A call reaches its function late. */
export interface DelayCall extends CallLimits {
  readonly fault: 'delay-call'
  readonly ms: Milliseconds
}

/** A result reaches the caller late. */
export interface DelayResult extends CallLimits {
  readonly fault: 'delay-result'
  readonly ms: Milliseconds
}

/** A call is answered with an error, and its function does not hear of it. */
export interface FailCall extends CallLimits {
  readonly fault: 'fail-call'
  /** @default 'invocation_failed' */
  readonly code?: string | undefined
  /** @default a text that names the fault */
  readonly message?: string | undefined
}

/** A worker loses its connection. */
export interface DropConnection extends CallLimits {
  readonly fault: 'drop-connection'
  /** `cut` ends the TCP connection without a word, as the engine does; `close` sends a close frame first. @default 'cut' */
  readonly how?: 'cut' | 'close' | undefined
  /**
   * - `now`: those that are connected, at once and never again
   * - `connect`: as soon as it was greeted
   * - `register`: when it registers something, which is not taken
   * - `call`: when it is called; it does not hear of the call
   * - `result`: when its result comes, which is lost with it
   * - `own-call`: right after a call of its own went on its way
   *
   * @default 'now'
   */
  readonly when?: 'now' | 'connect' | 'register' | 'call' | 'result' | 'own-call' | undefined
}

/** The engine reads nothing more of what a worker sends: of each worker that is connected, and of each that connects. */
export interface StopReading extends Limits {
  readonly fault: 'stop-reading'
  /** Name or id, `*` for any characters. A name is known once the worker has reported it. @default any */
  readonly worker?: string | undefined
  /** For how long, in milliseconds. @default until it is taken back */
  readonly ms?: number | undefined
}

/** Shuffles what engine 0.22.1 promises no order of: calls, results, and what a new provider of a trigger type hears. */
export interface Reorder extends CallLimits {
  readonly fault: 'reorder'
  /** What comes within so many milliseconds is shuffled. @default 20 */
  readonly windowMs?: number | undefined
}

/** Nobody listens on the HTTP port, and whoever is connected to it is cut. */
export interface RefuseHttp {
  readonly fault: 'refuse-http'
  /** For how long, in milliseconds. @default until it is taken back */
  readonly ms?: number | undefined
}

/** HTTP requests are taken up late, so that their response heads are late. */
export interface SlowHttp extends Limits {
  readonly fault: 'slow-http'
  readonly ms: Milliseconds
  /** The function of the route. @default any, and requests without a route */
  readonly function?: string | undefined
}

/** The engine restarts again and again. */
export interface Restart {
  readonly fault: 'restart'
  readonly everyMs: number
  /** Whether `state::*` is still there afterwards. @default 'keep' with a `dataDir`, else 'lose' */
  readonly state?: 'keep' | 'lose' | undefined
  /** How long it is down, in milliseconds. @default 0 */
  readonly downMs?: number | undefined
  /** How often at most. @default for ever */
  readonly times?: number | undefined
}

/** Something that goes wrong on request. */
export type FaultRule =
  | LoseEarlyResult
  | LoseResult
  | DelayCall
  | DelayResult
  | FailCall
  | DropConnection
  | StopReading
  | Reorder
  | RefuseHttp
  | SlowHttp
  | Restart

export type FaultName = FaultRule['fault']

export type RuleOf<N extends FaultName> = Extract<FaultRule, { readonly fault: N }>
