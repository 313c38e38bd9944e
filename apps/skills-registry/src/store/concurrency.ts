/** Runs work on one key in turn, and work on different keys side by side. */
export interface KeyedMutex {
  /** Starts `work` when everything that was asked for under `key` before is done; its failure is the caller's alone. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(key, work) {
      const run = (tails.get(key) ?? Promise.resolve()).then(work)
      const tail = run.then(ignore, ignore).then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
      tails.set(key, tail)
      return run
    },
  }
}

function ignore(): void {
  // The caller of `run` sees how it went.
}

/** Lets at most `max` pieces of work run at once; the others wait in the order they came. */
export function createLimit(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Does something for each item, for at most `max` of them at once. */
export function forEach<T, R>(items: readonly T[], max: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = createLimit(max)
  return Promise.all(items.map((item) => limit(() => work(item))))
}

/** Whoever comes while the work is being done shares the next run of it: what began before he came may have missed something. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= last.then(() => {
      next = undefined
      const running = work()
      last = running.then(ignore, ignore)
      return running
    })
    return next
  }
}
