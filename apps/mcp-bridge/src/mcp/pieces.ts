/** So long may one piece keep all others waiting. */
const PIECE_MS = 10

/** Does something with each of many, and in between what else there is to do: nobody waits longer than for one piece. */
export async function eachInPieces<T>(items: Iterable<T>, run: (item: T) => void): Promise<void> {
  let startedAt = performance.now()
  for (const item of items) {
    run(item)
    if (performance.now() - startedAt < PIECE_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    startedAt = performance.now()
  }
}

/** Lets whoever has something large to make wait for a turn of its own: between two of them is what else there is to do. */
export function createLoopTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}
