import { MAX_TIMEOUT_MS } from '@iii/protocol'

/** Resolves after the time, or at once when the signal fires. Does not keep the process alive. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    timer.unref()
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

/**
 * Waits for the work, and no longer than so many milliseconds; the work itself goes on.
 *
 * @throws what the work throws within that time
 */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    // A timer counts what is too long for it as a millisecond.
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMEOUT_MS))
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
