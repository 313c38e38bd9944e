import { isDeepStrictEqual } from 'node:util'
import type { ExposureRules } from '@iii/protocol'
import type { DirectoryRow } from '../../gate/directory.ts'

/** What is another in the engine's list of functions than it was. */
export interface ChangedRows {
  /** Nothing came, went, or says something else of itself, and the rules are the same. */
  readonly isNothing: boolean
  /** Those that came or say something else of themselves. */
  readonly ids: ReadonlySet<string>
}

/** The engine's list of functions as of the last look. */
export interface KnownRows {
  /** True before the first look too. */
  isEmpty(): boolean
  has(id: string): boolean
  /** The engine is being asked for its list. */
  ask(): void
  /** @param rules with others than those of the last look, all are others */
  compare(seen: readonly DirectoryRow[], rules: ExposureRules): ChangedRows
  keep(seen: readonly DirectoryRow[], rules: ExposureRules): void
  /** It was learned to be gone: where it is listed again, it is another, though its row be the same. */
  leave(id: string): void
}

export function createKnownRows(): KnownRows {
  let rows: readonly DirectoryRow[] = []
  let keptBy: ExposureRules | undefined
  /** Since the engine was asked: its answer may be older. */
  const left = new Set<string>()
  const mark = (row: DirectoryRow) => (left.has(row.id) ? { ...row, hasLeft: true } : row)

  return {
    isEmpty: () => rows.length === 0,
    has: (id) => rows.some((row) => row.id === id),
    ask: () => left.clear(),
    compare(seen, rules) {
      const isSame = rules === keptBy
      const { isNothing, ids } = findChanged(isSame ? rows : [], seen)
      return { isNothing: isSame && isNothing, ids }
    },
    keep(seen, rules) {
      rows = seen.map(mark)
      keptBy = rules
    },
    leave(id) {
      left.add(id)
      rows = rows.map(mark)
    },
  }
}

function findChanged(before: readonly DirectoryRow[], now: readonly DirectoryRow[]): ChangedRows {
  const known = new Map(before.map((row) => [row.id, row]))
  const changed = now.filter((row) => !isDeepStrictEqual(known.get(row.id), row))
  return {
    isNothing: changed.length === 0 && now.length === before.length,
    ids: new Set(changed.map(({ id }) => id)),
  }
}
