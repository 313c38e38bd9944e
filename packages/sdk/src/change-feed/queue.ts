/** Changes that one subscriber has not seen yet, in order. */
export interface ChangeQueue<Change> {
  readonly size: number
  add(change: Change): void
  /** The oldest one; undefined when there is none. */
  take(): Change | undefined
}

/** How changes are told apart, and made one. */
export interface ChangeRules<Change> {
  /** What a change is about. */
  keyOf(change: Change): string
  /** One change that stands for two of the same key. */
  merge(earlier: Change, later: Change): Change
}

/**
 * Keeps every change up to `maxWaiting`. Beyond that only one of each key is kept, in the order of the last ones, until the queue
 * has run empty: the subscriber misses steps, never an outcome.
 */
export function createChangeQueue<Change>(
  maxWaiting: number,
  { keyOf, merge }: ChangeRules<Change>,
): ChangeQueue<Change> {
  let every: Change[] = []
  let taken = 0
  const latest = new Map<string, Change>()

  function keepLatest(change: Change): void {
    const key = keyOf(change)
    const earlier = latest.get(key)
    latest.delete(key)
    latest.set(key, earlier === undefined ? change : merge(earlier, change))
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
