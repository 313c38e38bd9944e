/** How long something may be missing before it counts as gone: whoever lost a connection may be back in a moment. */
export interface Absences {
  /**
   * It is missing.
   *
   * @returns whether it has been for long enough; where nobody asked for as long in between, the third time is
   */
  isTooLong(key: string): boolean
  /** It is there. */
  found(key: string): void
}

const MAX_REMEMBERED = 1_000

interface Miss {
  readonly since: number
  readonly last: number
  /** How many absences it may have been by now, as nobody asked in between. */
  readonly spells: number
}

/** Where clients ask seldom, every miss looks like a new absence: after so many it counts as gone all the same. */
const MAX_SPELLS = 3

/** @param now milliseconds */
export function createAbsences(ms: number, now: () => number): Absences {
  const misses = new Map<string, Miss>()
  return {
    isTooLong(key) {
      const [last, before] = [now(), misses.get(key)]
      const isSame = before !== undefined && last - before.last <= ms
      const { since, spells } = isSame ? before : { since: last, spells: (before?.spells ?? 0) + 1 }
      if (before === undefined && misses.size >= MAX_REMEMBERED) misses.clear()
      misses.set(key, { since, last, spells })
      return last - since >= ms || spells >= MAX_SPELLS
    },
    found(key) {
      misses.delete(key)
    },
  }
}
