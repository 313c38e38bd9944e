/** How long something may be missing before it counts as gone: whoever lost a connection may be back in a moment. */
export interface Absences {
  /** It is missing. @returns whether it has been for long enough */
  isTooLong(key: string): boolean
  /** It is there. */
  found(key: string): void
}

const MAX_REMEMBERED = 1_000

/** @param now milliseconds */
export function createAbsences(ms: number, now: () => number): Absences {
  const missedAt = new Map<string, number>()
  return {
    isTooLong(key) {
      const since = missedAt.get(key)
      if (since !== undefined) return now() - since >= ms
      if (missedAt.size >= MAX_REMEMBERED) missedAt.clear()
      missedAt.set(key, now())
      return ms <= 0
    },
    found(key) {
      missedAt.delete(key)
    },
  }
}
