import { compareText } from '@iii/protocol'

/** What each id leads to. */
type Edges = ReadonlyMap<string, Iterable<string>>

/**
 * Finds what leads to itself: sets of ids that all reach each other, each sorted, the one with the least id first. (Kosaraju's algorithm,
 * without recursion: chains are long.)
 *
 * @param inverse the same edges, the other way round; it may have ids that `edges` has not
 */
export function findCycles(edges: Edges, inverse: Edges): string[][] {
  const seen = new Set<string>()
  const finished = [...edges.keys()].sort(compareText).flatMap((id) => visit(id, edges, edges, seen))
  const taken = new Set<string>()
  return finished
    .toReversed()
    .map((id) => visit(id, inverse, edges, taken))
    .filter(([first = '', ...others]) => others.length > 0 || has(edges.get(first), first))
    .map((cycle) => cycle.sort(compareText))
    .sort(([a = ''], [b = '']) => compareText(a, b))
}

/** What is reached from an id and was not seen before, in the order in which it is left again. */
function visit(start: string, edges: Edges, within: Edges, seen: Set<string>): string[] {
  const left: string[] = []
  // What is still to be looked at of each: whatever thousands depend on is not looked through anew for each of them.
  const path: { readonly id: string; readonly others: Iterator<string> }[] = []
  const enter = (id: string) => {
    seen.add(id)
    path.push({ id, others: (edges.get(id) ?? [])[Symbol.iterator]() })
  }
  if (!seen.has(start)) enter(start)
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const { done, value } = last.others.next()
    if (done === true) {
      left.push(last.id)
      path.pop()
    } else if (within.has(value) && !seen.has(value)) enter(value)
  }
  return left
}

function has(ids: Iterable<string> | undefined, id: string): boolean {
  return ids !== undefined && [...ids].includes(id)
}
