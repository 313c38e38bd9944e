import { Fault } from '@iii/protocol'

/** The signal of one call, and the hands that fire it. */
export interface CallSignal {
  readonly signal: AbortSignal
  /** Its bridge says so; a signal that fires for another reason leaves somebody who wants to know how the call ends. */
  readonly isCancelled: boolean
  /** The client has given the call up, or the bridge waits no longer. */
  cancel(reason: Error): void
  /** The call is over: nothing fires it any more. */
  end(): void
}

/**
 * @param shutdown fires when the worker shuts down.
 * @param timeoutMs fires it when the call takes longer.
 */
export function createCallSignal(functionId: string, shutdown: AbortSignal, timeoutMs: number | undefined): CallSignal {
  const controller = new AbortController()
  const onShutdown = () => controller.abort(shutdown.reason)
  const onTime = () => controller.abort(new Fault('deadline', `${functionId} has taken longer than ${timeoutMs} ms`))
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTime, timeoutMs)
  shutdown.addEventListener('abort', onShutdown, { once: true })
  if (shutdown.aborted) onShutdown()
  let isCancelled = false

  return {
    signal: controller.signal,
    get isCancelled() {
      return isCancelled
    },
    cancel(reason) {
      isCancelled = true
      controller.abort(reason)
    },
    end() {
      clearTimeout(timer)
      shutdown.removeEventListener('abort', onShutdown)
    },
  }
}
