import { compareText } from '@iii/protocol'
import { findCycles } from './cycles.ts'

/** What each task waits for, by id. Ids without an entry wait for nothing. */
export type Dependencies = ReadonlyMap<string, readonly string[]>

export interface TaskOrder {
  /** Each after everything that it waits for, and of those that could be next the least id first. */
  readonly order: readonly string[]
  /** Tasks that wait for each other, each circle sorted, with the least id first. */
  readonly cycles: readonly (readonly string[])[]
}

/**
 * Sorts tasks so that each comes after those it waits for. What is in a circle, or waits for one, has no place in the order.
 * Dependencies outside of `ids` count as met.
 *
 * @example
 * sortTasks(['b', 'a'], new Map([['a', ['b']]])).order // ['b', 'a']
 */
export function sortTasks(ids: Iterable<string>, dependencies: Dependencies): TaskOrder {
  const all = new Set(ids)
  const needsOf = (id: string) => new Set((dependencies.get(id) ?? []).filter((need) => all.has(need)))
  const open = new Map([...all].map((id) => [id, needsOf(id)]))
  const dependents = invert(open)
  const ready = [...open].filter(([, needs]) => needs.size === 0).map(([id]) => id)
  ready.sort(compareText).reverse()
  const order: string[] = []
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    order.push(id)
    open.delete(id)
    for (const dependent of dependents.get(id) ?? []) {
      const needs = open.get(dependent)
      needs?.delete(id)
      if (needs?.size === 0) insert(ready, dependent)
    }
  }
  return { order, cycles: findCycles(open, dependents) }
}

/** Into a list that has its least at the end. */
function insert(list: string[], id: string): void {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareText(list[middle] ?? '', id) > 0) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, id)
}

function invert(needs: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string[]> {
  const dependents = new Map<string, string[]>()
  for (const [id, of] of needs) {
    for (const need of of) {
      const others = dependents.get(need)
      if (others === undefined) dependents.set(need, [id])
      else others.push(id)
    }
  }
  return dependents
}
