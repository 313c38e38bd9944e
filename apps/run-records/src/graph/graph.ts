import { compareText } from '@iii/protocol'
import type { Task } from '../tasks/task.ts'
import type { Closure, MissingFunction } from './closure.ts'
import type { Edge } from './edges.ts'
import { sortTasks } from './order.ts'

/** What depends on what. */
export interface TaskGraph {
  readonly tasks: { id: string; depends_on: string[]; dependents: string[] }[]
  readonly execution_order: string[]
  readonly edges: Edge[]
  readonly cycles: string[][]
  readonly missing: MissingFunction[]
}

/** What a graph is made of. */
export interface GraphParts {
  readonly closure: Closure
  /** Of its tasks those to tell of, sorted. */
  readonly shown: readonly string[]
  readonly tasks: ReadonlyMap<string, Task>
  /** Everything that is known; what does not lead to a task that is shown, or from one, is left out. */
  readonly edges: readonly Edge[]
  /** Whether an id may be named. */
  readonly names: (id: string) => boolean
}

/** Makes a graph that is the same for the same facts, in whatever order they come. */
export function toGraph({ closure, shown, tasks, edges, names }: GraphParts): TaskGraph {
  const { dependencies, missing } = closure
  const ids = [...closure.ids].sort(compareText)
  const isShown = new Set(shown)
  const dependents = new Map(ids.map((id): [string, string[]] => [id, []]))
  for (const id of ids) for (const need of dependencies.get(id) ?? []) dependents.get(need)?.push(id)
  const { order, cycles } = sortTasks(ids, dependencies)
  return {
    tasks: shown.map((id) => ({
      id,
      depends_on: (dependencies.get(id) ?? []).filter(names).sort(compareText),
      dependents: dependents.get(id) ?? [],
    })),
    execution_order: order.filter((id) => isShown.has(id)),
    edges: edges.filter((edge) => belongs(edge, isShown, tasks, names)).sort(compareEdges),
    cycles: cycles.filter((cycle) => cycle.some((id) => isShown.has(id))).map((cycle) => [...cycle]),
    missing: missing.filter(({ id, needed_by }) => names(id) && concerns(needed_by, isShown)),
  }
}

/** A target that is missing is needed by no task. */
function concerns(neededBy: readonly string[], shown: ReadonlySet<string>): boolean {
  return neededBy.length === 0 || neededBy.some((id) => shown.has(id))
}

/** What makes a function run is no function; what waits for one that is missing is told; plumbing behind a function is not. */
function belongs(
  { from, to, kind }: Edge,
  ids: ReadonlySet<string>,
  tasks: GraphParts['tasks'],
  names: GraphParts['names'],
): boolean {
  if (kind === 'cancel' || kind === 'complete') return ids.has(from) && tasks.has(to)
  if (!ids.has(to)) return false
  if (kind === 'condition' || kind === 'middleware') return tasks.has(from)
  return kind !== 'depends' || names(from)
}

function compareEdges(a: Edge, b: Edge): number {
  return compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.kind, b.kind)
}
