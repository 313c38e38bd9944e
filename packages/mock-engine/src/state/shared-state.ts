import { createStateStore, type StateStore } from './store.ts'

/** State that outlives every engine that uses it. */
export type SharedState = StateStore

/**
 * Creates state for several engines of one process. Rows are shared at once; `state` triggers fire only on the engine that a row
 * was written on, as they do on engines that share a Redis.
 *
 * @example
 * const sharedState = createSharedState()
 * const here = await startMockEngine({ sharedState })
 * const there = await startMockEngine({ sharedState })
 */
export function createSharedState(): SharedState {
  return createStateStore()
}
