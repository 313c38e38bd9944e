import { isDeepStrictEqual } from 'node:util'
import type { ToolFunction } from './received-tool.ts'

/** What has to be done on the engine, so that it has the later list. */
export interface FunctionChanges {
  readonly added: readonly ToolFunction[]
  /** As they are later. */
  readonly changed: readonly ToolFunction[]
  /** As they were. */
  readonly gone: readonly ToolFunction[]
}

/** Compares two lists of functions by their ids; their order means nothing. */
export function compareFunctions(before: readonly ToolFunction[], after: readonly ToolFunction[]): FunctionChanges {
  const old = new Map(before.map((one) => [one.id, one]))
  const ids = new Set(after.map(({ id }) => id))
  return {
    added: after.filter(({ id }) => !old.has(id)),
    changed: after.filter((one) => old.has(one.id) && !isDeepStrictEqual(one, old.get(one.id))),
    gone: before.filter(({ id }) => !ids.has(id)),
  }
}
