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
