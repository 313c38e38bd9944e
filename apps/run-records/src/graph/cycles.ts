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
  const path: string[] = []
  const enter = (id: string) => {
    seen.add(id)
    path.push(id)
  }
  if (!seen.has(start)) enter(start)
  for (let id = path.at(-1); id !== undefined; id = path.at(-1)) {
    const next = [...(edges.get(id) ?? [])].find((other) => within.has(other) && !seen.has(other))
    if (next === undefined) left.push(path.pop() ?? id)
    else enter(next)
  }
  return left
}

function has(ids: Iterable<string> | undefined, id: string): boolean {
  return ids !== undefined && [...ids].includes(id)
}
