import { compareText } from '@iii/protocol'
import type { Task } from '../tasks/task.ts'
import type { Dependencies } from './order.ts'

/** A function that something waits for and that is no task: it is not registered, or internal. */
export interface MissingFunction {
  readonly id: string
  readonly needed_by: string[]
}

/** Some tasks, and all that they wait for. */
export interface Closure {
  readonly ids: ReadonlySet<string>
  readonly dependencies: Dependencies
  readonly missing: readonly MissingFunction[]
}

/** Follows `runs.depends_on` from some tasks to everything below them. */
export function collectTasks(roots: Iterable<string>, tasks: ReadonlyMap<string, Task>): Closure {
  const ids = new Set<string>()
  const dependencies = new Map<string, readonly string[]>()
  const missing = new Map<string, Set<string>>()
  const open: { id: string; by?: string }[] = [...roots].map((id) => ({ id }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id, by } = next
    const task = tasks.get(id)
    if (task === undefined) addTo(missing, id, by)
    else if (!ids.has(id)) {
      ids.add(id)
      dependencies.set(id, task.dependsOn)
      open.push(...task.dependsOn.map((need) => ({ id: need, by: id })))
    }
  }
  return { ids, dependencies, missing: toSorted(missing) }
}

function addTo(missing: Map<string, Set<string>>, id: string, by: string | undefined): void {
  const all = missing.get(id) ?? new Set()
  if (by !== undefined) all.add(by)
  missing.set(id, all)
}

function toSorted(missing: ReadonlyMap<string, ReadonlySet<string>>): MissingFunction[] {
  return [...missing]
    .map(([id, by]) => ({ id, needed_by: [...by].sort(compareText) }))
    .sort((a, b) => compareText(a.id, b.id))
}
