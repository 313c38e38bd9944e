import type { Trace } from './call-context.ts'

/** What a handler learns about the call it answers, beside payload and metadata. */
export interface Call {
  functionId: string
  invocationId: string
  /** Connection id of the worker that called; undefined for calls by the engine itself (http, cron, state, …). */
  callerWorkerId: string | undefined
  /** Size of the message that brought the call. */
  bytes: number
  /** The W3C trace context that came with it. */
  trace: Trace
  /** Fires when this worker shuts down; the engine tells nobody when a caller loses interest. */
  signal: AbortSignal
}

/**
 * Answers one call. A result of `undefined` or `null` reaches the caller as `undefined`.
 * A thrown Fault reaches the caller with its code, any other error with its message, without paths
 * and secrets; a stack never does.
 */
export type Handler<Payload = unknown, Result = unknown> = (
  payload: Payload,
  metadata: unknown,
  call: Call,
) => Result | Promise<Result>

/** How a call is carried out other than being awaited; made by {@link TriggerAction}. */
export type Action = { type: 'void' } | { type: 'enqueue'; queue: string }

/** The ways to call a function without waiting for its result. */
export const TriggerAction = {
  /** Fire and forget: nothing comes back, not even that the function does not exist. */
  Void: (): Action => ({ type: 'void' }),
  /** Hands the call to a named queue; the result is `{ messageReceiptId }`. */
  Enqueue: (to: { queue: string }): Action => ({ type: 'enqueue', queue: to?.queue }),
}

/** What a call wants of a signal. Every `AbortSignal` is one; what is made for each of many calls may be lighter. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What a call is made with. */
export interface TriggerRequest {
  function_id: string
  /** @default {} */
  payload?: unknown
  action?: Action | undefined
  /** @default the worker's `callTimeoutMs` */
  timeoutMs?: number | undefined
  /**
   * Where the function is, on engines that have namespaces. @default the worker's own; `default` for the engine's functions: those below
   * `engine::`, `state::`, `stream::`, `configuration::` and `iii::`, and `publish`
   */
  namespace?: string | undefined
  /** Handed to the callee's handler as its second argument, any JSON. */
  metadata?: unknown
  /** The W3C trace context that goes with it. @default that of the call being handled, unless the worker does not follow traces */
  trace?: Trace | undefined
  /** Gives the call up; the callee is not told. */
  signal?: CancelSignal | undefined
}

/** Whoever can call functions of the engine. */
export interface FunctionCaller {
  /**
   * Calls a function and waits for its result. Its type is the only type argument, or the second after that of the payload, which the payload is not held to.
   *
   * @throws InvocationError with what the engine or the callee said, or `TIMEOUT`, `connection_lost`, `ABORTED`, `closed`.
   * @throws Fault `invalid_input` or `too_large` for a payload that cannot be sent, `overloaded` when too much waits.
   */
  trigger<Only = unknown, Result = Only>(request: TriggerRequest): Promise<Result>
}

/** Asks a function of the engine, with a deadline. */
export type AskEngine = (functionId: string, payload: object) => Promise<unknown>
