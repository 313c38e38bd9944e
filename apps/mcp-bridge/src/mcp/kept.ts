/** Something that is asked for once, however many want it at the same time or soon after. */
export interface Kept<Args extends unknown[], T> {
  get(...args: Args): Promise<T>
  /** It may be another one by now. */
  forget(): void
}

/** @param freshMs how long it is good for, from the moment that it was asked for */
export function createKept<Args extends unknown[], T>(
  make: (...args: Args) => Promise<T>,
  freshMs: number,
): Kept<Args, T> {
  let last: { readonly made: Promise<T>; readonly at: number } | undefined
  return {
    get(...args) {
      if (last !== undefined && performance.now() - last.at <= freshMs) return last.made
      // What it says is as old as the question for it.
      const at = performance.now()
      const made = make(...args)
      const mine = { made, at }
      last = mine
      // A failure is nobody's but theirs who waited for it.
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
