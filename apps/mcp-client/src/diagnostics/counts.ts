/** Things that are counted and cost nothing by themselves. */
export interface Counts {
  add(what: string, by?: number): void
  all(): Readonly<Record<string, number>>
}

/** @param what names of this worker's own, never a text of a server */
export function createCounts(): Counts {
  const counts = new Map<string, number>()
  return {
    add: (what, by = 1) => void counts.set(what, (counts.get(what) ?? 0) + by),
    all: () => Object.fromEntries(counts),
  }
}
