import type { Watcher } from './watchers.ts'

/** How each of those who watch saw something last: whoever may see more or less than before sees something else, though nothing else has changed. */
export interface ViewMemory {
  has(watcher: Watcher, subject: string): boolean
  /** Remembers how it is seen. @param seen a digest @returns how that is beside what it was before */
  see(watcher: Watcher, subject: string, seen: string): 'first' | 'same' | 'different'
  forget(watcher: Watcher): void
}

export function createMemory(): ViewMemory {
  const known = new WeakMap<Watcher, Map<string, string>>()
  return {
    has: (watcher, subject) => known.get(watcher)?.has(subject) === true,
    see(watcher, subject, seen) {
      const own = known.get(watcher) ?? new Map<string, string>()
      const before = own.get(subject)
      known.set(watcher, own.set(subject, seen))
      if (before === undefined) return 'first'
      return before === seen ? 'same' : 'different'
    },
    forget: (watcher) => void known.delete(watcher),
  }
}
