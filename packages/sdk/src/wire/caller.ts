import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { DEFAULT_NAMESPACE, Fault, isRecord, MAX_TIMEOUT_MS } from '@iii/protocol'
import type { CancelSignal, TriggerRequest } from '../engine/call.ts'
import { currentTrace } from '../engine/call-context.ts'
import { CALL_FIELDS, requireCall } from '../engine/call-request.ts'
import { InvocationError, shutDownError } from '../engine/invocation-error.ts'
import { toCallNamespace } from '../engine/namespace.ts'
import type { EngineConnection } from './connection.ts'
import { formatCall, type ResultFrame } from './frames.ts'
import type { Outbox } from './outbox.ts'
import { createSlotMap } from './slot-map.ts'

/** Our calls: sent, queued while there is no connection, and settled whatever happens. */
export interface Caller {
  /** Calls without an answer. */
  readonly pending: number
  call(request: TriggerRequest): Promise<unknown>
  /** @returns whether a call of ours waited for it */
  settle(frame: ResultFrame): boolean
  /** Sends what was queued. */
  onUp(): void
  /** Fails what was out on the lost connection; what is still queued stays. */
  onDown(reason: string): void
  /** Fails everything, now and from now on. */
  close(): void
}

/** An engine that has not read so much is not asked for more. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

export interface CallerOptions {
  connection: EngineConnection
  outbox: Outbox
  /** Deadline of a call that names none. */
  timeoutMs: number
  /** Where functions are looked for that are not the engine's own; undefined for `default`. */
  namespace: string | undefined
}

export function createCaller({ connection, outbox, timeoutMs, namespace: own }: CallerOptions): Caller {
  let closed = false
  const calls = createCallsInFlight((invocationId) => {
    const unsent = outbox.has(invocationId)
    if (unsent) outbox.remove(invocationId)
    return { unsent, problem: connection.problem }
  })

  function deliver(text: string, invocationId: string | undefined): void {
    if (connection.state !== 'connected') {
      outbox.add(text, invocationId)
      return
    }
    if (connection.bufferedBytes > MAX_BUFFERED_BYTES) {
      throw new Fault('overloaded', `The engine has not read the last ${MAX_BUFFERED_BYTES} bytes yet; try again later`)
    }
    connection.send(text)
  }

  function send(request: TriggerRequest): Promise<unknown> {
    if (!isPlain(request)) requireCall(request)
    const { function_id: functionId, payload = {}, action, metadata, trace = currentTrace(), signal } = request
    if (closed) throw shutDownError(functionId, 'called')
    if (signal?.aborted) {
      const text = `The call of ${functionId} was given up by its caller: it was never sent`
      throw new InvocationError('ABORTED', text, functionId, { cause: signal.reason })
    }
    const invocationId = action?.type === 'void' ? undefined : randomUUID()
    const namespace = findNamespace(request, own)
    const text = formatCall({ invocationId, functionId, payload, metadata, namespace, action, trace })
    deliver(text, invocationId)
    if (invocationId === undefined) return Promise.resolve(undefined)
    return calls.open(invocationId, { functionId, timeoutMs: request.timeoutMs ?? timeoutMs, signal })
  }

  /** One promise for a call, which an async function would follow with another. */
  function call(request: TriggerRequest): Promise<unknown> {
    try {
      return send(request)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return {
    get pending() {
      return calls.size
    },
    call,
    settle: calls.settle,
    onUp: () => outbox.drain((text) => connection.send(text)),
    onDown(reason) {
      calls.failAll((invocationId, functionId) => {
        if (outbox.has(invocationId)) return undefined
        const text = `The connection to the engine was lost while ${functionId} was called (${reason}): the outcome is unknown`
        return new InvocationError('connection_lost', text, functionId)
      })
    },
    close() {
      closed = true
      calls.failAll((_, functionId) => shutDownError(functionId, 'called'))
    },
  }
}

function findNamespace({ function_id, namespace }: TriggerRequest, own: string | undefined): string | undefined {
  const isDefault = namespace === undefined || namespace === DEFAULT_NAMESPACE
  return own === undefined && isDefault ? undefined : toCallNamespace(function_id, namespace, own)
}

interface CallTerms {
  functionId: string
  timeoutMs: number
  signal: CancelSignal | undefined
}

/** Calls that we made and that have no answer yet. */
interface CallsInFlight {
  readonly size: number
  /** Opens a call. Whatever happens, the promise settles: result, error, deadline, signal, or {@link failAll}. */
  open(invocationId: string, terms: CallTerms): Promise<unknown>
  settle(frame: ResultFrame): boolean
  /** Fails every call for which `error` makes one. */
  failAll(error: (invocationId: string, functionId: string) => Error | undefined): void
}

interface PendingCall {
  functionId: string
  resolve(value: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  forgetSignal: (() => void) | undefined
}

/**
 * @param abandon is told when a call ends without an answer, before its error is made; it says whether the call had
 *   not been sent at all, and sees to it that it never is.
 */
function createCallsInFlight(abandon: (invocationId: string) => { unsent: boolean; problem: string }): CallsInFlight {
  const pending = createSlotMap<string, PendingCall>()

  function take(invocationId: string): PendingCall | undefined {
    const call = pending.get(invocationId)
    if (call === undefined) return undefined
    pending.delete(invocationId)
    clearTimeout(call.timer)
    call.forgetSignal?.()
    return call
  }

  function giveUp(invocationId: string, code: string, what: string, options?: ErrorOptions): void {
    const call = take(invocationId)
    if (call === undefined) return
    const { unsent, problem } = abandon(invocationId)
    const outcome = unsent
      ? `it was never sent, because the engine cannot be reached (${problem})`
      : 'the outcome is unknown'
    call.reject(new InvocationError(code, `${what}: ${outcome}`, call.functionId, options))
  }

  return {
    get size() {
      return pending.size
    },
    open(invocationId, { functionId, timeoutMs, signal }) {
      const limitMs = toTimerDelay(timeoutMs)
      return new Promise((resolve, reject) => {
        const onTime = () => giveUp(invocationId, 'TIMEOUT', `${functionId} did not answer within ${limitMs} ms`)
        const timer = setTimeout(onTime, limitMs)
        const forgetSignal = listen(signal, () =>
          giveUp(invocationId, 'ABORTED', `The call of ${functionId} was given up by its caller`, {
            cause: signal?.reason,
          }),
        )
        pending.set(invocationId, { functionId, resolve, reject, timer, forgetSignal })
      })
    },
    settle(frame) {
      const call = take(frame.invocation_id)
      if (call === undefined) return false
      if (!frame.error) call.resolve(frame.result)
      else call.reject(new InvocationError(String(frame.error.code), String(frame.error.message), call.functionId))
      return true
    },
    failAll(toError) {
      for (const [invocationId, { functionId }] of pending.entries()) {
        const error = toError(invocationId, functionId)
        if (error !== undefined) take(invocationId)?.reject(error)
      }
    },
  }
}

function toTimerDelay(timeoutMs: number): number {
  return timeoutMs >= 1 ? Math.min(Math.ceil(timeoutMs), MAX_TIMEOUT_MS) : 1
}

function listen(signal: CancelSignal | undefined, onAbort: () => void): (() => void) | undefined {
  // `null` is how `fetch` takes none.
  if (!signal) return undefined
  // Of many calls at once with one signal Node would warn as of a leak.
  if (signal instanceof EventTarget) setMaxListeners(0, signal)
  signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}

/** Whether it is as nearly all calls are: for a function, waited for, and with nothing that is not read. */
function isPlain(request: TriggerRequest): boolean {
  if (!isRecord(request)) return false
  for (const name in request) if (!(name in CALL_FIELDS)) return false
  const { action, function_id: functionId, signal, timeoutMs, trace } = request
  const isTimed = timeoutMs === undefined || Number.isFinite(timeoutMs)
  const isBound = signal === undefined || typeof signal?.addEventListener === 'function'
  const isNamed = typeof functionId === 'string' && functionId !== ''
  return action === undefined && isTrace(trace) && isNamed && isTimed && isBound
}

function isTrace(given: TriggerRequest['trace']): boolean {
  if (given === undefined) return true
  return isRecord(given) && isTextOrNone(given['traceparent']) && isTextOrNone(given['baggage'])
}

function isTextOrNone(given: unknown): boolean {
  return given === undefined || typeof given === 'string'
}
