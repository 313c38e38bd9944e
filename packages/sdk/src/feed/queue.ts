/** Changes that one subscriber has not seen yet, in order. */
export interface ChangeQueue<Change> {
  readonly size: number
  add(change: Change): void
  /** The oldest one; undefined when there is none. */
  take(): Change | undefined
}

/**
 * Keeps every change up to `maxWaiting`. Beyond that only the last one of each key is kept, in the order of those last
 * ones, until the queue has run empty: the subscriber misses steps, never an outcome.
 */
export function createChangeQueue<Change>(maxWaiting: number, keyOf: (change: Change) => string): ChangeQueue<Change> {
  let every: Change[] = []
  let taken = 0
  const latest = new Map<string, Change>()

  function keepLatest(change: Change): void {
    const key = keyOf(change)
    latest.delete(key)
    latest.set(key, change)
  }

  return {
    get size() {
      return every.length - taken + latest.size
    },
    add(change) {
      if (latest.size > 0) {
        keepLatest(change)
      } else if (every.length - taken < maxWaiting) {
        every.push(change)
      } else {
        for (const earlier of every.slice(taken)) keepLatest(earlier)
        every = []
        taken = 0
        keepLatest(change)
      }
    },
    take() {
      if (taken < every.length) {
        const change = every[taken++]
        if (taken === every.length) {
          every = []
          taken = 0
        }
        return change
      }
      const next = latest.entries().next()
      if (next.done) return undefined
      latest.delete(next.value[0])
      return next.value[1]
    },
  }
}
