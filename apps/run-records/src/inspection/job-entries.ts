import { compareText, toFault } from '@iii/protocol'
import type { JobEntry } from '../contracts/tasks.ts'
import type { Job } from '../jobs/job.ts'
import { orderTasks } from '../jobs/plan.ts'
import type { Visibility } from './visibility.ts'

/** The jobs, by name, each with what it would run. */
export function toJobEntries({ jobs, all }: Visibility): JobEntry[] {
  return [...jobs.values()].sort((a, b) => compareText(a.name, b.name)).map((job) => toJobEntry(job, all))
}

function toJobEntry(job: Job, all: Visibility['all']): JobEntry {
  const { name, description, declared, targets, input, lock, schedule } = job
  const entry = {
    name,
    description,
    declared,
    targets,
    ...(input === undefined ? {} : { input }),
    lock,
    ...(schedule === undefined ? {} : { schedule }),
  }
  try {
    return { ...entry, tasks: [...orderTasks(job, all)], runnable: true }
  } catch (error) {
    return { ...entry, tasks: [], runnable: false, problem: toFault(error).message }
  }
}
