import type { Principal } from '../auth/principal.ts'
import { createPerView } from '../auth/view.ts'

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

/** What is made for a principal, kept for all who see the same. */
export interface KeptPerView<T> {
  get(principal: Principal): Promise<T>
  forget(): void
}

/** @param freshMs how long each is good for */
export function createKeptPerView<T>(make: (principal: Principal) => Promise<T>, freshMs: number): KeptPerView<T> {
  const views = createPerView<Kept<[], T>>()
  return {
    get: (principal) => views.get(principal, () => createKept(() => make(principal), freshMs)).get(),
    forget: () => views.clear(),
  }
}
