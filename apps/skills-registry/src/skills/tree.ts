import { compareText } from '@iii/protocol'
import { memoizeEach } from '../records/remembered.ts'

/** Where an id stands in the tree that its `/` segments form. */

/**
 * Sorts entries so that every child comes right after its parent: `a`, `a/b`, `a-b`.
 *
 * A plain sort of the ids would put `a-b` between `a` and `a/b`, because `-` sorts before `/`.
 */
export function inTreeOrder<T extends { id: string }>(entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, key: toKey(entry) }))
    .sort((a, b) => compareText(a.key, b.key))
    .map(({ entry }) => entry)
}

const toKey = memoizeEach(({ id }: { id: string }) => id.replaceAll('/', '\0'))

/** Counts how many proper ancestors of `id` are in `known`: `a` and `a/b` for `a/b/c`. */
export function countAncestors(id: string, known: ReadonlySet<string>): number {
  let count = 0
  for (let slash = id.indexOf('/'); slash !== -1; slash = id.indexOf('/', slash + 1)) {
    if (known.has(id.slice(0, slash))) count += 1
  }
  return count
}
