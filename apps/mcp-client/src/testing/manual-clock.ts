import type { Clock } from '../clock.ts'

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Lets time pass, and lets everything that waited for it run. */
  advance(ms: number): Promise<void>
}

export function createManualClock({ random = 0.5 } = {}): ManualClock {
  let time = 0
  const waiting = new Set<{ at: number; run: () => void }>()
  return {
    now: () => time,
    random: () => random,
    after(ms, run) {
      const entry = { at: time + ms, run }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    async advance(ms) {
      const until = time + ms
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        waiting.delete(next)
        time = Math.max(time, next.at)
        next.run()
        await settle()
      }
      time = until
      await settle()
    },
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve))
}
