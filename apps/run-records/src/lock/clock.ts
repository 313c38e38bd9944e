import { performance } from 'node:perf_hooks'
import type { Clock } from './lease.ts'

/** The clock of this process. What waits does not keep it alive. */
export const processClock: Clock = {
  now: () => performance.now(),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms).unref()
      signal?.addEventListener('abort', done, { once: true })
    }),
}
