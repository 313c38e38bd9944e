import { isDeepStrictEqual } from 'node:util'
import type { DirectoryRow } from '../../gate/directory.ts'

/** What is another in the engine's list of functions than it was. */
export interface ChangedRows {
  /** Nothing came, went, or says something else of itself. */
  readonly isNothing: boolean
  /** Those that came or say something else of themselves. */
  readonly ids: ReadonlySet<string>
}

export function findChanged(before: readonly DirectoryRow[], now: readonly DirectoryRow[]): ChangedRows {
  const known = new Map(before.map((row) => [row.id, row]))
  const changed = now.filter((row) => !isDeepStrictEqual(known.get(row.id), row))
  return {
    isNothing: changed.length === 0 && now.length === before.length,
    ids: new Set(changed.map(({ id }) => id)),
  }
}
