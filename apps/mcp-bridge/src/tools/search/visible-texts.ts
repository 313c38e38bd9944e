import type { Postings } from './postings.ts'

/** What somebody sees of all texts. */
export interface VisibleTexts {
  sees(slot: number): boolean
  readonly count: number
  /** How long a text is that is seen, in the middle. */
  readonly meanLength: number
}

/** Finds out whose slots somebody sees, once for each list and change. */
export function createVisibleTexts<T>(postings: Postings<T>): (visible: readonly T[]) => VisibleTexts {
  const views = new WeakMap<readonly T[], VisibleTexts & { readonly version: number }>()
  return (visible) => {
    const known = views.get(visible)
    if (known?.version === postings.version) return known
    const view = { ...toView(postings, visible), version: postings.version }
    views.set(visible, view)
    return view
  }
}

function toView<T>(postings: Postings<T>, visible: readonly T[]): VisibleTexts {
  const seen = new Uint8Array(postings.size)
  let [count, length] = [0, 0]
  for (const entry of visible) {
    const slot = postings.slotOf(entry)
    if (slot === undefined) continue
    seen[slot] = 1
    count += 1
    length += postings.lengthAt(slot)
  }
  return { sees: (slot) => seen[slot] === 1, count, meanLength: length / Math.max(1, count) }
}
