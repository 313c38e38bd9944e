import type { Task } from '../tasks/task.ts'
import { collectTasks, type Missing } from './closure.ts'
import type { Edge } from './edges.ts'
import { compareIds } from './ids.ts'
import { sortTasks } from './order.ts'

/** What depends on what. */
export interface TaskGraph {
  readonly tasks: { id: string; depends_on: string[]; dependents: string[] }[]
  readonly execution_order: string[]
  readonly edges: Edge[]
  readonly cycles: string[][]
  readonly missing: Missing[]
}

/** What a graph is made of. */
export interface GraphParts {
  /** Tasks to begin with; what they depend on comes in by itself. */
  readonly roots: Iterable<string>
  readonly tasks: ReadonlyMap<string, Task>
  /** Everything that is known; what does not lead to a task of the graph, or from one, is left out. */
  readonly edges: readonly Edge[]
  /** Whether an id may be named. */
  readonly names: (id: string) => boolean
}

/** Makes a graph that is the same for the same facts, in whatever order they come. */
export function toGraph({ roots, tasks, edges, names }: GraphParts): TaskGraph {
  const { ids: found, dependencies, missing } = collectTasks(roots, tasks)
  const ids = [...found].sort(compareIds)
  const dependents = new Map(ids.map((id): [string, string[]] => [id, []]))
  for (const id of ids) for (const need of dependencies.get(id) ?? []) dependents.get(need)?.push(id)
  const { order, cycles } = sortTasks(ids, dependencies)
  return {
    tasks: ids.map((id) => ({
      id,
      depends_on: (dependencies.get(id) ?? []).filter(names).sort(compareIds),
      dependents: dependents.get(id) ?? [],
    })),
    execution_order: [...order],
    edges: edges.filter((edge) => belongs(edge, found, tasks, names)).sort(compareEdges),
    cycles: cycles.map((cycle) => [...cycle]),
    missing: missing.filter(({ id }) => names(id)).map(({ id, needed_by }) => ({ id, needed_by })),
  }
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
  return compareIds(a.from, b.from) || compareIds(a.to, b.to) || compareIds(a.kind, b.kind)
}
