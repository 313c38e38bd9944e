import type { Clock } from '../clock.ts'

/** What a server does at the moment, which others may end so that it decides anew. */
export interface Cycle {
  /** Of what goes on now. */
  readonly signal: AbortSignal
  begin(): AbortSignal
  /** Ends it. */
  end(): void
}

export function createCycle(): Cycle {
  let controller = new AbortController()
  return {
    get signal() {
      return controller.signal
    },
    begin() {
      controller = new AbortController()
      return controller.signal
    },
    end: () => controller.abort(new Error('something else is wanted of the server')),
  }
}

/** Resolves when the signal fires. */
export function untilEnded(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}

/** @throws the reason of the signal when that fires first; what comes of the work then is nobody's */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  let give: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    give = () => reject(signal.reason)
    signal.addEventListener('abort', give, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', give)
  }
}

/** Resolves after some time, or when the signal fires. */
export async function pauseOnClock(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([passed, untilEnded(signal)])
  cancel()
}
