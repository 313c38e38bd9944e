import { AsyncResource } from 'node:async_hooks'

/** What is over and waits for its record: making one is put off until many can be made at once, off the way of the calls. */
export interface Pending<T> {
  /** Never waits and never throws. */
  add(item: T): void
  /** Hands over what waits. */
  flush(): void
}

export interface PendingOptions<T> {
  /** So many wait at most. */
  readonly batch: number
  /** The oldest waits so long for others. */
  readonly batchMs: number
  /** Whether so little hangs on it that it may wait; what may not is handed over when the event loop comes round. */
  readonly isLight: (item: T) => boolean
  readonly work: (items: readonly T[]) => void
}

export function createPending<T>({ batch, batchMs, isLight, work }: PendingOptions<T>): Pending<T> {
  let waiting: T[] = []
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  // A batch belongs to no call, and must not go on in the trace of the one that happened to be its first.
  const outside = new AsyncResource('call-feed')

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    isDue = false
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    work(items)
  }

  function soon(): void {
    if (isDue) return
    isDue = true
    // The reply goes out first.
    outside.runInAsyncScope(setImmediate, undefined, flush)
  }

  return {
    add(item) {
      waiting.push(item)
      if (waiting.length >= batch || !isLight(item)) soon()
      else timer ??= outside.runInAsyncScope(setTimeout, undefined, flush, batchMs).unref()
    },
    flush,
  }
}
