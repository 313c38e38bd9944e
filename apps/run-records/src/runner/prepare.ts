import { Fault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import type { JobDeclarations } from '../jobs/declaration.ts'
import { readJobs } from '../jobs/job.ts'
import { type Plan, planJob } from '../jobs/plan.ts'
import { createTaskDirectory } from '../tasks/directory.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import { noSuchJob } from './refusal.ts'
import type { RunRequest } from './request.ts'

/** A job that may be run now. */
export interface PreparedJob {
  readonly plan: Plan
  /** Of its tasks, by id. */
  readonly definitions: ReadonlyMap<string, TaskDefinition>
}

/** Works out what a request would do, and does nothing. @throws Fault as `Runner.start` */
export async function prepare(
  worker: Pick<Worker, 'trigger' | 'namespace'>,
  declarations: JobDeclarations,
  request: Pick<RunRequest, 'job' | 'input' | 'check'>,
): Promise<PreparedJob> {
  const directory = createTaskDirectory(worker)
  const tasks = await directory.list()
  const jobs = readJobs(declarations, tasks)
  const job = jobs.get(request.job)
  if (job === undefined) throw noSuchJob(request.job, [...jobs.keys()])
  const plan = planJob(job, request.input, tasks)
  await request.check?.(plan)
  return { plan, definitions: await directory.define(plan.tasks.map(({ id }) => id)) }
}

/**
 * The same for a request that has waited for its lock: by now it may be another job, or one that nobody wants to run any more.
 *
 * @throws Fault as `prepare`, and `conflict` for a job that has another lock by now
 */
export async function prepareAgain(wanted: PreparedJob, ...parts: Parameters<typeof prepare>): Promise<PreparedJob> {
  const prepared = await prepare(...parts)
  const { name, lock } = prepared.plan.job
  if (lock === wanted.plan.job.lock) return prepared
  throw new Fault('conflict', `The job ${name} got another lock while it waited for this one: run it again`)
}
