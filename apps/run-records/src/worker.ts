import { toFault } from '@iii/protocol'
import type { Logger, Served, Settings, Worker } from '@iii/sdk'
import { assemble } from './assemble.ts'
import { createCallRecorder } from './calls/call-log.ts'
import { serveCalls } from './calls/serve.ts'
import { createRecordReader } from './inspection/records.ts'
import { serveRunJob } from './inspection/run-job.ts'
import { serveInspection } from './inspection/serve.ts'
import type { Options } from './options.ts'
import { serveSchedules } from './schedule/serve.ts'
import { explainNoState } from './store/no-state.ts'

const COLLECT_EVERY_MS = 60 * 60 * 1000

/**
 * Puts everything that this worker offers on the bus: the functions that look, the one that runs, and those that the engine and bridges call.
 *
 * Nothing is read here and nothing has to be there yet.
 */
export function serveRuns(worker: Worker, settings: Settings<Options>, log: Logger): Served {
  const options = () => settings.value
  const { store, locks, runner, holder } = assemble({ worker, options, log })
  const calls = createCallRecorder({ store, options, namespace: worker.namespace, log })
  holder.serve()
  serveInspection(worker, settings, { records: createRecordReader(store), locks })
  serveRunJob(worker, settings, runner)
  serveCalls(worker, settings, calls)
  serveSchedules(worker, settings, runner, log)
  const collect = () =>
    explainNoState(runner.collect()).catch((error) =>
      log.warn({ reason: toFault(error).message }, 'old records were not removed'),
    )
  const timer = setInterval(() => void collect(), COLLECT_EVERY_MS).unref()
  return {
    async close() {
      clearInterval(timer)
      await Promise.all([runner.close(), calls.close()])
    },
  }
}
