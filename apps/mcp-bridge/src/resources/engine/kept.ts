/** Something that is asked for once, however many want it at the same time or soon after. */
export interface Kept<T> {
  get(): Promise<T>
  /** It may be another one by now. */
  forget(): void
}

/** @param freshMs how long it is good for, from the moment that it was asked for */
export function createKept<T>(make: () => Promise<T>, freshMs: number): Kept<T> {
  let last: { readonly made: Promise<T>; readonly at: number } | undefined
  return {
    get() {
      if (last !== undefined && performance.now() - last.at <= freshMs) return last.made
      const made = make()
      const mine = { made, at: performance.now() }
      last = mine
      // A failure is not kept: the next one asks again.
      made.catch(() => {
        if (last === mine) last = undefined
      })
      return made
    },
    forget() {
      last = undefined
    },
  }
}
