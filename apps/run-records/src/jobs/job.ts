import { cutUtf8, toDescription } from '@iii/protocol'
import type { Task } from '../tasks/task.ts'
import { JobDeclaration, type JobDeclarations } from './declaration.ts'

/** What the clock of the engine calls. */
export const DUE = 'runs::on-schedule'

/** Something that may be run. */
export interface Job extends JobDeclaration {
  readonly name: string
  /** Who says that it may be run: the operator in the file, or the function itself. */
  readonly declared: 'operator' | 'metadata'
}

/** What the operator wrote and what functions say of themselves, by name. A name of the one kind never is one of the other. */
export function readJobs(declarations: JobDeclarations, tasks: ReadonlyMap<string, Task>): Map<string, Job> {
  const operators = Object.entries(declarations).map(([name, job]) => ({ ...job, name, declared: 'operator' as const }))
  const own = [...tasks.values()].filter(({ runs }) => runs.job).map(toOwnJob)
  return new Map([...own, ...operators].map((job) => [job.name, job]))
}

/** What it takes, a function checks itself. */
function toOwnJob({ id, description, runs }: Task): Job {
  const job = JobDeclaration.parse({
    targets: [id],
    input: { type: 'object' },
    ...(runs.timeout_ms === undefined ? {} : { timeout_ms: runs.timeout_ms }),
  })
  const shown = cutUtf8(toDescription(description) ?? '', MAX_DESCRIPTION_BYTES)
  return { ...job, description: shown, name: id, declared: 'metadata' }
}

const MAX_DESCRIPTION_BYTES = 1024
