import { Fault, toFault } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { type Assembled, assemble } from '../assemble.ts'
import { JobDeclarations } from '../jobs/declaration.ts'
import type { LockTimings } from '../lock/timings.ts'
import { type Options, options } from '../options.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { RunRequest, StartedRun } from '../runner/request.ts'

/** A process that runs jobs, in this one. */
export interface RunProcess extends Assembled, AsyncDisposable {
  worker: Worker
  options: Options
  start(job: string, request?: Partial<RunRequest>): Promise<StartedRun>
  /** Runs a job to its end. */
  run(job: string, request?: Partial<RunRequest>): Promise<RunRecord>
  /** The fault that a run is refused with, as `code: message`. */
  refusal(job: string, request?: Partial<RunRequest>): Promise<string>
}

export const DEFAULTS = Object.fromEntries(
  Object.entries(options).map(([name, spec]) => [name, spec.default]),
) as unknown as Options

interface RunStageOptions {
  timings?: Partial<LockTimings>
  /** Where it is. */
  namespace?: string
}

const silent = createLog({ name: 'runs', level: 'silent' })

export async function startRunProcess(
  url: string,
  jobs: Record<string, unknown>,
  { timings, namespace, ...overrides }: Partial<Options> & RunStageOptions = {},
): Promise<RunProcess> {
  const worker = registerWorker(url, { name: 'runs', namespace, log: silent })
  const all = { ...DEFAULTS, ...overrides, jobs: JobDeclarations.parse(jobs) }
  const parts = assemble({ worker, options: () => all, log: silent, timings })
  const { runner } = parts
  await worker.ready({ timeoutMs: 5000 })
  const start: RunProcess['start'] = (job, request = {}) => runner.start({ job, via: 'cli', ...request })
  return {
    ...{ ...parts, worker, options: all, start },
    run: async (job, request) => (await start(job, request)).finished,
    async refusal(job, request) {
      const { code, message } = await start(job, request).then(
        () => new Fault('internal', 'it was not refused'),
        (error: unknown) => toFault(error),
      )
      return `${code}: ${message}`
    },
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
    },
  }
}
