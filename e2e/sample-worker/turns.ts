/**
 * Lets work on one id wait until the work before it is done; work on different ids runs side by side. Between reading a
 * row and writing it back other calls get their turn, so whoever decides by what it read needs this.
 *
 * @example
 * const inTurn = createTurns()
 * await inTurn(id, async () => save(change(await read(id))))
 */
export function createTurns(): <T>(id: string, work: () => Promise<T>) => Promise<T> {
  const latest = new Map<string, Promise<unknown>>()
  return async (id, work) => {
    const before = latest.get(id)
    const turn = (async () => {
      // How the work before went is for its own caller to see.
      await before?.catch(() => {})
      return await work()
    })()
    latest.set(id, turn)
    try {
      return await turn
    } finally {
      if (latest.get(id) === turn) latest.delete(id)
    }
  }
}
