/** Things that arrive, in order, for somebody who waits for them. */
export interface Inbox<T> {
  push(item: T): void
  /** Nothing more will come. */
  end(): void
  readonly ended: boolean
  /** What arrived and was not taken. */
  readonly waiting: readonly T[]
  /** Takes the next one; `undefined` when none comes in time. */
  next(withinMs: number): Promise<T | undefined>
  /** Waits for the end. */
  whenEnded(withinMs: number): Promise<boolean>
}

export function createInbox<T>(): Inbox<T> {
  const items: T[] = []
  let ended = false
  let wake = () => {}

  async function until(ready: () => boolean, withinMs: number): Promise<boolean> {
    const deadline = Date.now() + withinMs
    while (!ready()) {
      const left = deadline - Date.now()
      if (left <= 0) return false
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return true
  }

  return {
    push(item) {
      items.push(item)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    get ended() {
      return ended
    },
    waiting: items,
    async next(withinMs) {
      await until(() => items.length > 0 || ended, withinMs)
      return items.shift()
    },
    whenEnded: (withinMs) => until(() => ended, withinMs),
  }
}
