import type { JsonObject } from '@iii/protocol'
import type { CancelSignal, SlotMap } from '@iii/sdk'
import { type HeardAnswer, type McpCall, type Reach, UNREACHABLE } from './call.ts'
import type { Params } from './params.ts'
import { RPC, RpcError, type RpcId, toRpcError } from './rpc.ts'

/** What carries the messages that precede a reply, and then the reply. */
export interface Line {
  /** @returns true once there is room for more, false when nobody will ever read it */
  send(message: string): Promise<boolean>
  /** Shows that somebody is there. */
  comment(): void
  /** Ends the response without ending the line: its reader comes back for the rest. @returns false where it could not */
  pause(): Promise<boolean>
  /** Ends it, after a last message where there is one. @returns false where no response could be opened: its reader still waits */
  end(message?: string): Promise<boolean>
}

/** One request, from its arrival to its reply, and the way back to whoever waits for it. */
export interface Exchange {
  /** Aborted when nobody waits any more; its reason is an RpcError. */
  readonly signal: CancelSignal
  readonly reach: Reach
  /** Waits for the reply, and no longer than somebody waits for it. Never rejects. @returns the text of the result, or what went wrong */
  settle(reply: Promise<string>): Promise<string | RpcError>
  /**
   * It is over.
   *
   * @param message what the client reads last; undefined where it does not want to hear of it
   * @returns false when no stream was opened, or could be: the message is then for a plain reply
   */
  end(message: string | undefined): Promise<boolean>
  abort(reason: RpcError): void
}

export interface LineListener {
  /** Nobody reads it any more. */
  giveUp(reason: RpcError): void
  /** Nothing of it has reached the client, and nothing will: it waits for a plain reply. */
  onUnopened(): void
}

export interface ExchangeOptions {
  /** Makes a stream of the reply, unless too many are open; undefined for a client that cannot read one. */
  readonly open: ((hear: LineListener) => Line | undefined) | undefined
  /** Does its client come back for the rest of a stream that was closed? @default false */
  readonly canPause?: boolean
  /** Asks the client by messages that `send` brings. Undefined where it cannot answer. */
  readonly ask: AskBy | undefined
  /** So long nothing may come of the request before a stream is opened to show that it is being worked on. */
  readonly silenceMs: number
  /** How long a reply may take that cannot become a stream after all. */
  readonly plainMs: number
}

export type AskBy = (question: {
  readonly method: string
  readonly params: JsonObject
  readonly send: (message: string) => Promise<boolean>
  readonly signals: readonly CancelSignal[]
}) => Promise<HeardAnswer>

/** Nobody reads the stream of the reply any more. */
export const LEFT = new RpcError(RPC.refused, 'The client has left')
/** This server does. */
export const STOPPING = new RpcError(RPC.internal, 'This server is stopping. The outcome of the call is unknown.')
/** The client has said that it does not want the reply any more. */
export const CANCELLED = new RpcError(RPC.refused, 'The request was cancelled')
/** Questions come on the stream of the reply. */
const NO_STREAM = new RpcError(
  RPC.overloaded,
  'It was not asked: too many streams are open, in its session or in all, or this server is stopping. Call again in a moment',
)
const UNOPENED = new RpcError(
  RPC.overloaded,
  'It was not asked: no stream could be opened for it. Call again in a moment',
)
/** The session of the request is over: its client has said goodbye, and some fail when they hear anything after that. */
export const ENDED = new RpcError(RPC.sessionNotFound, 'The session has ended')

export function createExchange({ open, canPause = false, ask, silenceMs, plainMs }: ExchangeOptions): Exchange {
  const { signal, cancel } = createCancellation()
  const startedAt = performance.now()
  let line: Line | undefined
  let isDone = false
  let isUnopened = false
  /** How far the client has seen it come: MCP wants it to grow with each message. */
  let shown = Number.NEGATIVE_INFINITY
  let giveUp: ((reason: RpcError) => void) | undefined
  let timer = open && setTimeout(onSilence, silenceMs)

  function onSilence(): void {
    const opened = upgrade()
    opened?.comment()
    if (opened === undefined) expectPlain('too many streams are open')
  }

  function expectPlain(because: string): void {
    const passedMs = performance.now() - startedAt
    timer = setTimeout(() => abort(tooSlow(plainMs, because)), plainMs - passedMs)
  }

  /** Makes a stream of the reply, once. */
  function upgrade(): Line | undefined {
    if (line !== undefined || isDone || isUnopened) return line
    line = open?.({ giveUp: abort, onUnopened })
    if (line !== undefined) clearTimeout(timer)
    return line
  }

  function onUnopened(): void {
    line = undefined
    isUnopened = true
    if (!isDone) expectPlain('no stream could be opened')
  }

  function abort(reason: RpcError): void {
    if (isDone || signal.aborted) return
    // What gives up at the signal has nobody to say it to.
    isDone = reason === ENDED || reason === LEFT
    cancel(reason)
    giveUp?.(reason)
  }

  async function send(message: string): Promise<boolean> {
    if (isDone) return false
    return (await upgrade()?.send(message)) ?? false
  }

  const reach: Reach = {
    async notify(...[method, params]) {
      if (signal.aborted) return false
      if (method === 'notifications/progress') {
        // A function that is called again, with answers, begins again.
        if (params.progress <= shown) return false
        shown = params.progress
      }
      return send(JSON.stringify({ jsonrpc: '2.0', method, params }))
    },
    ask:
      ask &&
      (async (method, params, own) => {
        if (!isDone && upgrade() === undefined) throw isUnopened ? UNOPENED : NO_STREAM
        return await ask({ method, params, send, signals: [own, signal] }).catch((error: unknown) => {
          throw isUnopened ? UNOPENED : error
        })
      }),
    closeStream: async () => canPause && ((await upgrade()?.pause()) ?? false),
  }

  return {
    signal,
    reach: open ? reach : UNREACHABLE,
    settle: (reply) =>
      new Promise<string | RpcError>((resolve) => {
        giveUp = resolve
        if (signal.aborted) resolve(toRpcError(signal.reason))
        reply.then(resolve, (error: unknown) => resolve(toRpcError(error)))
      }),
    abort,
    async end(message) {
      clearTimeout(timer)
      isDone = true
      return (await line?.end(message)) ?? false
    },
  }
}

/** Each member by its name: where others follow a spread, V8 takes as long as for a tenth of a call. */
export function toMcpCall(
  caller: Omit<McpCall, 'signal' | 'reach'>,
  { signal, reach, trace }: Pick<McpCall, 'signal' | 'reach' | 'trace'>,
): Every<McpCall> {
  return {
    id: caller.id,
    era: caller.era,
    revision: caller.revision,
    principal: caller.principal,
    client: caller.client,
    capabilities: caller.capabilities,
    limits: caller.limits,
    attached: caller.attached,
    share: caller.share,
    session: caller.session,
    paramHeader: caller.paramHeader,
    traceparent: caller.traceparent,
    carried: caller.carried,
    signal,
    reach,
    trace,
  }
}

/** Members that may be left out are there, so that none is forgotten. */
type Every<T> = { readonly [Member in keyof Required<T>]: T[Member] }

/** What an AbortController is, as far as a request needs it: making one of those, and listening to it, takes a tenth of a call. */
function createCancellation(): { signal: CancelSignal; cancel: (reason: RpcError) => void } {
  let listeners: (() => void)[] = []
  const signal = {
    aborted: false,
    reason: undefined as RpcError | undefined,
    addEventListener(_: 'abort', listener: () => void) {
      listeners.push(listener)
    },
    removeEventListener(_: 'abort', listener: () => void) {
      listeners = listeners.filter((other) => other !== listener)
    },
  }
  return {
    signal,
    cancel(reason) {
      signal.aborted = true
      signal.reason = reason
      for (const listener of [...listeners]) if (listeners.includes(listener)) listener()
      listeners = []
    },
  }
}

function tooSlow(plainMs: number, because: string): RpcError {
  const seconds = Math.round(plainMs / 100) / 10
  return new RpcError(
    RPC.overloaded,
    `No reply within ${seconds} s, and ${because} to wait longer: the outcome is unknown`,
  )
}

/** A request that has no reply yet. */
export interface RequestUnderWay {
  /** As its client has it. One that sends a request again does so under the same id. */
  readonly id: RpcId
  readonly abort: (reason: RpcError) => void
}

/**
 * Gives up what a notification of its client says is cancelled: every request that has this id.
 *
 * @param calls those under way
 */
export function cancelCall(
  calls: Pick<SlotMap<number, RequestUnderWay>, 'values'>,
  { method, params }: { readonly method: string; readonly params: JsonObject },
): void {
  const { requestId }: Params<'notifications/cancelled'> = params
  if (method !== 'notifications/cancelled') return
  for (const { id, abort } of calls.values()) if (id === requestId) abort(CANCELLED)
}
