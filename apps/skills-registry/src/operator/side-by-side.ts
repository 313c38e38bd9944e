import type { Screen } from '@iii/sdk/cli'

/** So many calls are under way at once. */
export const AT_ONCE = 16

/**
 * Does work on everything, a bounded number at once. After a failure nothing new is begun, and it rejects with the first one when
 * what was under way has ended.
 */
export async function forEachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  let failure: { error: unknown } | undefined
  const run = async () => {
    for (let next = rest.next(); next.done !== true && failure === undefined; next = rest.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  if (failure !== undefined) throw failure.error
}

/** The same, telling how far it has come. @param what is done: `importing` */
export async function forEachShown<T>(
  screen: Screen,
  what: string,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const progress = screen.progress(what, items.length)
  try {
    await forEachAtOnce(items, async (item) => {
      await work(item)
      progress.step()
    })
  } finally {
    progress.end()
  }
}
