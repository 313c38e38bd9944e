/** What is worth 0, 1 or 2 to somebody, in the order in which it was used. */
export interface UseOrder<T> {
  /** It is new, or is used now. */
  used(entry: T): void
  remove(entry: T): void
  /** What is worth least, and of that what was unused for longest. It looks at few, however many there are. */
  findLeast(mayGo: (entry: T) => boolean): T | undefined
}

const WORTHS = [0, 1, 2] as const

/** @param toWorth at the moment: it grows at any time; that it has become less counts when it is used again */
export function createUseOrder<T>(toWorth: (entry: T) => (typeof WORTHS)[number]): UseOrder<T> {
  /** What was worth at most so much when it was used last, the longest unused first. */
  const queues = WORTHS.map((most) => ({ most, entries: new Set<T>() }))
  function* eachByWorth(): Generator<T> {
    for (const { most, entries } of queues) {
      for (const entry of entries) {
        if (toWorth(entry) <= most) yield entry
        else entries.delete(entry)
      }
    }
  }

  return {
    used(entry) {
      const worth = toWorth(entry)
      for (const { most, entries } of queues) {
        entries.delete(entry)
        if (worth <= most) entries.add(entry)
      }
    },
    remove(entry) {
      for (const { entries } of queues) entries.delete(entry)
    },
    findLeast(mayGo) {
      for (const entry of eachByWorth()) if (mayGo(entry)) return entry
      return undefined
    },
  }
}
