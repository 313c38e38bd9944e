import type { Logger, Settings, Worker } from '@iii/sdk'
import { createRecordReader } from './inspection/records.ts'
import { serveInspection } from './inspection/serve.ts'
import { processClock } from './lock/clock.ts'
import { createLockStore } from './lock/lock-store.ts'
import { createLocks } from './lock/locks.ts'
import { LOCK_TIMINGS } from './lock/timings.ts'
import type { Options } from './options.ts'
import { createRunStore } from './store/store.ts'

/** Puts everything that this worker offers on the bus. */
export function serveRuns(worker: Worker, settings: Settings<Options>, _log: Logger): void {
  const store = createRunStore(worker, () => settings.value.stateTimeoutMs)
  const locks = createLocks(createLockStore(worker, LOCK_TIMINGS.callTimeoutMs), LOCK_TIMINGS, processClock)
  serveInspection(worker, settings, { records: createRecordReader(store), locks })
}
