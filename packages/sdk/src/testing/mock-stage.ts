import { registerWorker } from '../worker/register-worker.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'
import { createRecordedLog, type RecordedLog } from './recorded-log.ts'

/** What a stage needs of a mock engine. Tests pass `startMockEngine`, since only they may depend on its package. */
export interface StageEngine {
  url: string
  close(): Promise<void>
}

/** A mock engine and the workers that a test connects to it. */
export interface MockStage<E extends StageEngine = StageEngine> extends AsyncDisposable {
  engine: E
  log: RecordedLog
  /** Connects one more worker, ready and shut down with the stage. */
  connect(options?: RegisterWorkerOptions): Promise<Worker>
}

export async function startMockStage<E extends StageEngine>(startEngine: () => Promise<E>): Promise<MockStage<E>> {
  const engine = await startEngine()
  const log = createRecordedLog()
  const workers: Worker[] = []
  return {
    engine,
    log,
    async connect(options) {
      const worker = registerWorker(engine.url, { log, ...options })
      workers.push(worker)
      await worker.ready({ timeoutMs: 5_000 })
      return worker
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.shutdown()))
      await engine.close()
    },
  }
}
