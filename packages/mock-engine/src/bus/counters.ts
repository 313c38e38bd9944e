/** How a call to a built-in ended, or `deferred` for one that was handed to a worker. */
export type CallEnd = 'success' | 'error' | 'deferred'

/** What the engine has done so far. */
export interface Counters {
  readonly calls: Readonly<Record<CallEnd, number>>
  readonly byFunction: ReadonlyMap<string, number>
  /** How many workers have come and gone. */
  readonly workers: { spawns: number; deaths: number }
  count(functionId: string, end: CallEnd): void
}

export function createCounters(): Counters {
  const calls = { success: 0, error: 0, deferred: 0 }
  const byFunction = new Map<string, number>()
  return {
    calls,
    byFunction,
    workers: { spawns: 0, deaths: 0 },
    count(functionId, end) {
      calls[end]++
      byFunction.set(functionId, (byFunction.get(functionId) ?? 0) + 1)
    },
  }
}
