import { passes } from '../builtins/condition.ts'
import { builtinType } from '../builtins/define.ts'
import { toObjectSchema } from '../builtins/result-schemas.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/trigger.ts'
import { objectText, quote, toMembers, toStringValue } from '../json/build.ts'
import { EngineError } from '../wire/engine-error.ts'
import { childTrace } from '../wire/trace-context.ts'
import { parseSchedule, type Schedule } from './schedule.ts'

const WORKER = 'iii-cron'
const SECOND_MS = 1000

interface Job {
  readonly trigger: Trigger
  readonly schedule: Schedule
  running: boolean
}

/** The trigger type `cron`, and a way to stop its clock. */
export interface Cron {
  readonly worker: BuiltinWorker
  stop(): void
}

/** Jobs run on the second, in UTC; one that is still running when it is due again skips that turn. */
export function createCron(bus: Bus): Cron {
  const jobs = new Map<string, Job>()
  let timer: NodeJS.Timeout | undefined

  function tick(second: number): void {
    timer = undefined
    if (jobs.size === 0) return
    for (const job of jobs.values()) if (job.schedule.isDue(new Date(second))) void run(bus, job, second)
    wait()
  }

  /** The clock runs only while there are jobs. */
  function wait(): void {
    const now = Date.now()
    const next = (Math.floor(now / SECOND_MS) + 1) * SECOND_MS
    timer ??= setTimeout(tick, next - now, next)
  }

  const type = builtinType(WORKER, {
    id: 'cron',
    description: 'Cron-based scheduled triggers',
    configSchema: toObjectSchema('condition_function_id?:string|null expression:string'),
    requestSchema: toObjectSchema('actual_time:string job_id:string scheduled_time:string trigger:string'),
    register(trigger) {
      jobs.set(trigger.id, { trigger, schedule: toSchedule(trigger), running: false })
      wait()
    },
    unregister: ({ id }) => void jobs.delete(id),
  })
  return {
    worker: {
      workerName: WORKER,
      description: 'Functions called by the clock.',
      internal: false,
      functions: [],
      types: [type],
    },
    stop: () => clearTimeout(timer),
  }
}

async function run(bus: Bus, job: Job, second: number): Promise<void> {
  if (job.running) return
  job.running = true
  const { id, functionId, namespace, metadata } = job.trigger
  const data = objectText({
    trigger: '"cron"',
    job_id: quote(id),
    scheduled_time: quote(`${new Date(second).toISOString().slice(0, 19)}+00:00`),
    actual_time: quote(new Date().toISOString().replace('Z', '+00:00')),
  })
  const trace = childTrace()
  if (await passes(bus, job.trigger, data, trace)) {
    await bus.calls.ask({ functionId, namespace, data, metadata, trace })
  }
  job.running = false
}

function toSchedule({ config }: Trigger): Schedule {
  const expression = toStringValue(toMembers(config)?.get('expression'))
  if (!expression) throw new EngineError('trigger_registration_failed', 'Cron expression is required')
  const schedule = parseSchedule(expression)
  if (!('problem' in schedule)) return schedule
  const { at, problem } = schedule
  const reason = `${expression}\n${' '.repeat(at)}^\n${problem}`
  throw new EngineError('trigger_registration_failed', `Invalid cron expression '${expression}': ${reason}`)
}
