import type { LockLease } from '../lock/lease.ts'
import type { Stop } from './outcome.ts'

/** Says whether a run goes on, and gives up what is under way when it does not. */
export interface Stopper {
  readonly signal: AbortSignal
  /** Why it does not; the first reason counts. */
  readonly reason: Stop | undefined
  /** What a cancelled run ends with, where who cancelled it says so. */
  readonly exitCode: number | undefined
  cancel(exitCode?: number): void
  leftMs(): number
  /** The run is over: nothing stops it any more. */
  end(): void
}

export function createStopper(lease: LockLease, cancelSignal: AbortSignal | undefined, timeoutMs: number): Stopper {
  const controller = new AbortController()
  const until = performance.now() + timeoutMs
  let reason: Stop | undefined
  let exitCode: number | undefined

  function stop(why: Stop): void {
    if (reason !== undefined) return
    reason = why
    controller.abort(new Error(why))
  }
  function cancel(code?: number): void {
    exitCode ??= code
    stop('cancelled')
  }
  const onLost = () => stop('lock_lost')
  const onCancel = () => cancel((cancelSignal?.reason as { exitCode?: number } | undefined)?.exitCode)
  const timer = setTimeout(() => stop('deadline'), timeoutMs)
  lease.lost.addEventListener('abort', onLost, { once: true })
  cancelSignal?.addEventListener('abort', onCancel, { once: true })
  if (lease.lost.aborted) onLost()
  if (cancelSignal?.aborted) onCancel()

  return {
    signal: controller.signal,
    cancel,
    get reason() {
      return reason
    },
    get exitCode() {
      return exitCode
    },
    leftMs: () => Math.max(0, until - performance.now()),
    end() {
      clearTimeout(timer)
      lease.lost.removeEventListener('abort', onLost)
      cancelSignal?.removeEventListener('abort', onCancel)
    },
  }
}
