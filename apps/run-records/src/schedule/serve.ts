import { Fault, toFault } from '@iii/protocol'
import type { Logger, Registration, Settings, Worker } from '@iii/sdk'
import { z } from 'zod'
import { DUE } from '../jobs/job.ts'
import type { Options } from '../options.ts'
import type { Runner } from '../runner/runner.ts'
import { explainNoState } from '../store/no-state.ts'

/** Nobody is there to try again, and jobs are due at the same time: each waits for its lock. */
const WAIT_MS = 60 * 60 * 1000

const Due = z.object({ scheduled_time: z.string().catch('') })
const Which = z.object({ job: z.string() })

/** Runs the jobs that have a schedule when the engine's cron says so. */
export function serveSchedules(
  worker: Worker,
  settings: Settings<Options>,
  runner: Pick<Runner, 'start'>,
  log: Logger,
): void {
  const lastDue = new Map<string, string>()
  /** Of one binding the engine calls for nothing more while a call goes on; two processes have two. */
  const underWay = new Set<string>()
  const isScheduled = (job: string) => settings.value.jobs[job]?.schedule !== undefined

  async function runDue(job: string): Promise<void> {
    if (underWay.has(job)) {
      log.warn({ job }, 'a scheduled run was left out: the one before it has not ended')
      return
    }
    underWay.add(job)
    const check = () => {
      if (!isScheduled(job)) throw new Fault('conflict', `The job ${job} has no schedule any more`)
    }
    try {
      const started = await explainNoState(runner.start({ job, via: 'trigger', waitMs: WAIT_MS, check }))
      const { id, status, exit_code } = await started.finished
      log.info({ job, run: id, status, exit_code }, 'a scheduled run has ended')
    } catch (error) {
      log.warn({ job, reason: toFault(error).message }, 'a scheduled run was refused')
    } finally {
      underWay.delete(job)
    }
  }

  async function run(payload: unknown, metadata: unknown, callerWorkerId: string | undefined): Promise<void> {
    const which = Which.safeParse(metadata)
    const due = Due.safeParse(payload)
    // Only the clock of the engine: a worker that wants a run asks for it, and is refused where that is off.
    if (callerWorkerId !== undefined || !which.success || !due.success) return
    const { job } = which.data
    const time = due.data.scheduled_time
    // Two processes of this worker are both bound, and one of them is called for both.
    if (!isScheduled(job) || lastDue.get(job) === time) return
    lastDue.set(job, time)
    await runDue(job)
  }

  worker.registerFunction(
    DUE,
    async (payload, metadata, { callerWorkerId }) => {
      await run(payload, metadata, callerWorkerId)
      return {}
    },
    {
      description: 'Is told by the clock of the engine that a job is due.',
      request_format: { type: 'object' },
      response_format: z.object({}),
      metadata: { internal: true, 'mcp.expose': false },
    },
  )
  follow(worker, settings, log)
}

/** Binds each job to its schedule, anew when the file says something else. */
function follow(worker: Worker, settings: Settings<Options>, log: Logger): void {
  const bound = new Map<string, { expression: string; registration: Registration }>()
  const update = () => {
    const { jobs } = settings.value
    for (const [job, { expression, registration }] of bound) {
      if (jobs[job]?.schedule === expression) continue
      registration.unregister()
      bound.delete(job)
    }
    for (const [job, { schedule: expression }] of Object.entries(jobs)) {
      if (expression === undefined || bound.has(job)) continue
      const onError = ({ message }: { message: string }) =>
        log.error({ job, reason: message }, 'the schedule of a job was refused: mend `schedule` in the file')
      const config = { expression }
      const registration = worker.registerTrigger({
        type: 'cron',
        function_id: DUE,
        config,
        metadata: { job },
        onError,
      })
      bound.set(job, { expression, registration })
    }
  }
  update()
  settings.onChange(update)
}
