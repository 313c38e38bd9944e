import type { LockClock } from '../lock/lease.ts'

/** A clock that a test moves. */
export interface ManualClock extends LockClock {
  /** Lets time pass, and lets everything that waited for it go on. */
  advance(ms: number): Promise<void>
}

export function createManualClock(): ManualClock {
  let time = 0
  const waiting = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => time,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const entry = { at: time + ms, wake: () => {} }
        entry.wake = () => {
          waiting.delete(entry)
          signal?.removeEventListener('abort', entry.wake)
          resolve()
        }
        waiting.add(entry)
        signal?.addEventListener('abort', entry.wake, { once: true })
        if (signal?.aborted) entry.wake()
      }),
    async advance(ms) {
      const until = time + ms
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        time = Math.max(time, next.at)
        next.wake()
        await settle()
      }
      time = until
      await settle()
    },
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
