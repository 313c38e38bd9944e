interface Waiting<Item> {
  readonly item: Item
  resolve(): void
  reject(error: unknown): void
}

/**
 * Writes what comes while something is written in one go. What fails together is tried one by one, so that nobody pays for what another one has.
 *
 * @returns what takes an item, and resolves when that is written
 */
export function createBatches<Item>(write: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  const waiting: Waiting<Item>[] = []

  async function settle(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const one of batch) await settle([one])
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length === 1) last = last.then(() => settle(waiting.splice(0)))
    })
}
