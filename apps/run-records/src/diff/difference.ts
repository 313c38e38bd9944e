import { compareText } from '@iii/protocol'
import type { Leaves } from './leaves.ts'

/** Where two values differ, as JSON pointers. */
export interface Difference {
  readonly added: string[]
  readonly removed: string[]
  readonly changed: string[]
}

/**
 * Compares the parts of a value before and after. Where one side was taken apart further than the other, the part as a whole has changed.
 *
 * @example
 * findDifference({ '/a': '1', '/b': '2' }, { '/a': '3', '/c': '4' }) // { added: ['/c'], removed: ['/b'], changed: ['/a'] }
 */
export function findDifference(before: Leaves, after: Leaves): Difference {
  const [added, removed, changed] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const [pointer, digest] of Object.entries(after)) {
    if (Object.hasOwn(before, pointer)) {
      if (before[pointer] !== digest) changed.add(pointer)
    } else addTo(findAbove(pointer, before), pointer, { changed, otherwise: added })
  }
  for (const pointer of Object.keys(before)) {
    if (!Object.hasOwn(after, pointer)) addTo(findAbove(pointer, after), pointer, { changed, otherwise: removed })
  }
  const onlyOf = (pointers: ReadonlySet<string>) => toSorted(new Set([...pointers].filter((one) => !changed.has(one))))
  return { added: onlyOf(added), removed: onlyOf(removed), changed: toSorted(changed) }
}

function addTo(
  above: string | undefined,
  pointer: string,
  { changed, otherwise }: Record<'changed' | 'otherwise', Set<string>>,
): void {
  if (above === undefined) otherwise.add(pointer)
  else changed.add(above)
}

/** The part of the other side that has this one within it. */
function findAbove(pointer: string, other: Leaves): string | undefined {
  for (let at = pointer.lastIndexOf('/'); at >= 0; at = pointer.lastIndexOf('/', at - 1)) {
    const above = pointer.slice(0, at)
    if (Object.hasOwn(other, above)) return above
    if (at === 0) return undefined
  }
  return undefined
}

function toSorted(pointers: ReadonlySet<string>): string[] {
  return [...pointers].sort(compareText)
}
