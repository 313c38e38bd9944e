import { Fault } from '@iii/protocol'
import { findNearest } from '@iii/sdk'
import { collectTasks, type MissingFunction } from '../graph/closure.ts'
import { sortTasks } from '../graph/order.ts'
import type { Task } from '../tasks/task.ts'
import { checkJobInput } from './declaration.ts'
import type { Job } from './job.ts'

/** A task as a run is to do it. */
export interface PlannedTask {
  readonly id: string
  /** The tasks whose results it gets, in the order that its metadata has. */
  readonly needs: readonly string[]
  readonly payload: Readonly<Record<string, unknown>>
  readonly task: Task
}

/** A job that can be run: each task after those it needs. */
export interface Plan {
  readonly job: Job
  readonly tasks: readonly PlannedTask[]
}

/** A job takes no more tasks than that. */
export const MAX_TASKS = 256

/**
 * Works out what a job does.
 *
 * @param input what was given to the job: checked, and put into the payload of its targets
 * @throws Fault `invalid_input` for an input that does not fit; `unavailable` for a function that is missing or waits for itself, and
 *   for inputs of one that is no task of it; `too_large` for too many tasks
 */
export function planJob(job: Job, input: unknown, tasks: ReadonlyMap<string, Task>): Plan {
  const given = checkJobInput(job.name, job.input, input)
  const ids = orderTasks(job, tasks)
  return {
    job,
    tasks: ids.flatMap((id) => {
      const task = tasks.get(id)
      return task === undefined ? [] : [{ id, task, needs: task.dependsOn, payload: toPayload(job, id, given) }]
    }),
  }
}

/** The tasks of a job, in the order in which one worker alone would do them. @throws Fault as {@link planJob} */
export function orderTasks(
  job: Pick<Job, 'name' | 'targets' | 'inputs'>,
  tasks: ReadonlyMap<string, Task>,
): readonly string[] {
  const { ids, dependencies, missing } = collectTasks(job.targets, tasks)
  const [first] = missing
  if (first !== undefined) {
    const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : ''
    throw new Fault(
      'unavailable',
      `The job ${job.name} needs the function ${first.id}, which no worker offers${more}: start its worker, or mend ${toPlaces(first, job)}`,
    )
  }
  if (ids.size > MAX_TASKS) {
    throw new Fault('too_large', `The job ${job.name} has ${ids.size} tasks; ${MAX_TASKS} is the most: split it`)
  }
  checkFixedInputs(job, ids)
  const { order, cycles } = sortTasks(ids, dependencies)
  const [cycle] = cycles
  if (cycle === undefined) return order
  throw new Fault(
    'unavailable',
    cycle.length === 1
      ? `The job ${job.name} cannot be run: ${cycle[0]} depends on itself: mend its runs.depends_on`
      : `The job ${job.name} cannot be run: ${cycle.join(', ')} depend on each other: mend their runs.depends_on`,
  )
}

/** What is fixed for nobody, as by an id that is mistyped, would be open to whoever gives an input. */
function checkFixedInputs({ name, inputs }: Pick<Job, 'name' | 'inputs'>, ids: ReadonlySet<string>): void {
  const stray = Object.keys(inputs).find((id) => !ids.has(id))
  if (stray === undefined) return
  const nearest = findNearest(stray, [...ids])
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  throw new Fault(
    'unavailable',
    `The job ${name} has inputs for ${stray}, which is none of its tasks${hint}: mend \`inputs\``,
  )
}

/** A function that calls itself a job has the name of the job, and may need what is missing. */
function toPlaces({ id, needed_by }: MissingFunction, { name, targets }: Pick<Job, 'name' | 'targets'>): string {
  const places = needed_by.map((by) => `runs.depends_on of ${by}`)
  return [...(targets.includes(id) ? [`the targets of ${name}`] : []), ...places].join(', ')
}

function toPayload(job: Job, id: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fixed = Object.hasOwn(job.inputs, id) ? (job.inputs[id] ?? {}) : {}
  if (!job.targets.includes(id)) return { ...fixed }
  const taken = Object.keys(given).find((key) => Object.hasOwn(fixed, key))
  if (taken === undefined) return { ...fixed, ...given }
  throw new Fault('invalid_input', `input.${taken}: is fixed by the job ${job.name} for ${id} and cannot be given`)
}
