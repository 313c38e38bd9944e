/** Turns bursts of hints into few reactions: by key, the first one soon, never two close together, and one after the last hint. */
export interface Pacer {
  /** @param settleMs for who has waited for the end of the burst already. @default that of the pace */
  hint(key: string, settleMs?: number): void
  close(): void
}

interface LookPace {
  /** A burst is waited out for so long after each hint, but for no more than 250 ms in all. @default 50 */
  readonly settleMs?: number
  /** Least time between two reactions. @default 500 */
  readonly gapMs?: number
}

interface Waiting {
  timer: NodeJS.Timeout
  /** When the burst began; undefined while nothing is owed. */
  since: number | undefined
  /** Not before. */
  notBefore: number
}

const PATIENCE_MS = 250

/** @param react called once for the hints of a key so far */
export function createPacer(react: (key: string) => void, pace: LookPace = {}): Pacer {
  const { settleMs: usualMs = 50, gapMs = 500 } = pace
  const waiting = new Map<string, Waiting>()

  function wake(key: string): void {
    const entry = waiting.get(key)
    if (entry?.since === undefined) {
      waiting.delete(key)
      return
    }
    entry.since = undefined
    entry.notBefore = performance.now() + gapMs
    entry.timer = sleep(key, gapMs)
    react(key)
  }

  function sleep(key: string, ms: number): NodeJS.Timeout {
    return setTimeout(wake, ms, key).unref()
  }

  return {
    hint(key, settleMs = usualMs) {
      const now = performance.now()
      const entry = waiting.get(key)
      const since = entry?.since ?? now
      const notBefore = entry?.notBefore ?? 0
      const dueAt = Math.max(notBefore, Math.min(now + settleMs, since + PATIENCE_MS))
      clearTimeout(entry?.timer)
      waiting.set(key, { since, notBefore, timer: sleep(key, dueAt - now) })
    },
    close() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
