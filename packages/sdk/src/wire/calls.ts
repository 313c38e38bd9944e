import { InvocationError } from '../engine/invocation-error.ts'
import type { ResultFrame } from './frames.ts'

/** The longest delay that a Node timer keeps; longer ones would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface CallTerms {
  functionId: string
  timeoutMs: number
  signal: AbortSignal | undefined
}

/** Calls that we made and that have no answer yet. */
export interface CallsInFlight {
  readonly size: number
  /** Opens a call. Whatever happens, the promise settles: result, error, deadline, signal, or {@link failAll}. */
  open(invocationId: string, terms: CallTerms): Promise<unknown>
  settle(frame: ResultFrame): void
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
export function createCallsInFlight(
  abandon: (invocationId: string) => { unsent: boolean; problem: string },
): CallsInFlight {
  const pending = new Map<string, PendingCall>()

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
      if (call === undefined) return
      if (!frame.error) return call.resolve(frame.result)
      const { code, message } = frame.error
      call.reject(new InvocationError(String(code), String(message), call.functionId))
    },
    failAll(toError) {
      for (const [invocationId, { functionId }] of [...pending]) {
        const error = toError(invocationId, functionId)
        if (error !== undefined) take(invocationId)?.reject(error)
      }
    },
  }
}

function toTimerDelay(timeoutMs: number): number {
  return timeoutMs >= 1 ? Math.min(Math.ceil(timeoutMs), MAX_TIMEOUT_MS) : 1
}

function listen(signal: AbortSignal | undefined, onAbort: () => void): (() => void) | undefined {
  if (signal === undefined) return undefined
  signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}
