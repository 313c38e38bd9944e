/** What happened to which key lately. */
export interface Recent<T> {
  note(key: string, what: T): void
  get(key: string): T | undefined
  forget(key: string): void
  /** Everything that is remembered, oldest first. */
  entries(): [key: string, what: T][]
  /** Nothing gets too old any more, until it is let go on. */
  hold(): void
  goOn(): void
}

export interface RecentOptions {
  /** How long a key is remembered, in milliseconds. */
  ms: number
  /** Of more than that the oldest are forgotten. */
  max: number
}

export function createRecent<T>({ ms, max }: RecentOptions): Recent<T> {
  const noted = new Map<string, { what: T; at: number }>()
  let held = false

  function forgetOld(): void {
    for (const [key, { at }] of noted) {
      if (noted.size <= max && (held || performance.now() - at < ms)) break
      noted.delete(key)
    }
  }

  return {
    note(key, what) {
      noted.delete(key)
      noted.set(key, { what, at: performance.now() })
      forgetOld()
    },
    get(key) {
      forgetOld()
      return noted.get(key)?.what
    },
    forget(key) {
      noted.delete(key)
    },
    entries() {
      forgetOld()
      return [...noted].map(([key, { what }]) => [key, what])
    },
    hold() {
      forgetOld()
      held = true
    },
    goOn() {
      held = false
    },
  }
}
