import { compareBytes, type JsonText } from '../json/json-text.ts'

/** Values by scope and key, in the order they were first written. */
export interface StateStore {
  get(scope: string, key: string): JsonText | undefined
  /** Stores a value and returns the one it replaces. */
  set(scope: string, key: string, value: JsonText): JsonText | undefined
  /** Removes a value and returns it. */
  delete(scope: string, key: string): JsonText | undefined
  /** The values of a scope. */
  values(scope: string): readonly JsonText[]
  entries(scope: string): Iterable<readonly [string, JsonText]>
  /** Every scope that was ever written to, sorted. */
  scopes(): readonly string[]
}

/** @param changed - told of every scope that was written to. */
export function createStateStore(changed: (scope: string) => void = () => {}): StateStore {
  const scopes = new Map<string, Map<string, JsonText>>()
  const rows = (scope: string) => scopes.get(scope) ?? new Map<string, JsonText>()
  return {
    get: (scope, key) => rows(scope).get(key),
    set(scope, key, value) {
      const row = rows(scope)
      scopes.set(scope, row)
      const old = row.get(key)
      row.set(key, value)
      changed(scope)
      return old
    },
    delete(scope, key) {
      const row = rows(scope)
      const old = row.get(key)
      if (row.delete(key)) changed(scope)
      return old
    },
    values: (scope) => [...rows(scope).values()],
    entries: (scope) => rows(scope).entries(),
    scopes: () => [...scopes.keys()].sort(compareBytes),
  }
}

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
