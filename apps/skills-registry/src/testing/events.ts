import type { Worker } from '@iii/sdk'

/** Collects the payloads that a function of a test is called with. */
export interface Events<T> {
  readonly all: readonly T[]
  /** Resolves when there are `count` of them. */
  reach(count: number): Promise<readonly T[]>
}

/** Subscribes a function to a trigger type. */
export async function subscribe<T>(client: Worker, type: string, functionId: string): Promise<Events<T>> {
  const all: T[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  client.registerFunction(functionId, (event: T) => {
    all.push(event)
    for (const waiter of waiting) if (all.length >= waiter.count) waiter.resolve()
    return {}
  })
  client.registerTrigger({ type, function_id: functionId })
  await client.ready()
  return {
    all,
    async reach(count) {
      if (all.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return all
    },
  }
}
