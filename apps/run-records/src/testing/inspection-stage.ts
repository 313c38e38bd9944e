import { startMockEngine } from '@iii/mock-engine'
import { type Fault, toFault } from '@iii/protocol'
import { createLog, registerWorker, type Settings, type Worker } from '@iii/sdk'
import { createRecordReader } from '../inspection/records.ts'
import { serveInspection } from '../inspection/serve.ts'
import { JobDeclarations } from '../jobs/declaration.ts'
import { lockClock } from '../lock/lease.ts'
import { createLockStore } from '../lock/lock-store.ts'
import { createLocks } from '../lock/locks.ts'
import { LOCK_TIMINGS } from '../lock/timings.ts'
import { type Options, options } from '../options.ts'
import type { RunRecord } from '../record/run-record.ts'
import { createRunStore, type RunStore } from '../store/store.ts'
import { type RunDraft, writeRecord } from './written-record.ts'

/** Inspection on an engine, a worker with tasks, and a store to fill. */
export interface InspectionStage extends AsyncDisposable {
  readonly engine: Awaited<ReturnType<typeof startMockEngine>>
  /** Has the tasks; each call of one is counted. */
  readonly worker: Worker
  readonly calls: string[]
  readonly store: RunStore
  readonly settings: { value: Options }
  /** Asks a question, as a worker or, with a sidecar, as a client of a bridge. */
  ask<T = Record<string, never>>(name: string, request?: object, metadata?: unknown): Promise<T>
  fault(name: string, request?: object, metadata?: unknown): Promise<Fault>
  /** Registers a task that counts its calls. */
  serve(id: string, metadata?: Record<string, unknown>, schema?: Record<string, unknown>): void
  /** Writes the record of a run that is over. */
  record(run: RunDraft): Promise<RunRecord>
}

/** @param change of the settings; `serves` is a task that is there from the beginning */
export async function startInspection(
  change: Partial<Options> & { declared?: object; serves?: string } = {},
): Promise<InspectionStage> {
  const { declared, serves, ...overrides } = change
  const engine = await startMockEngine()
  const log = createLog({ name: 'test', level: 'silent' })
  const worker = registerWorker(engine.url, { name: 'orders', log })
  const runs = registerWorker(engine.url, { name: 'runs', log })
  const settings = { value: { ...defaults(), ...overrides, jobs: JobDeclarations.parse(declared ?? {}) } }
  const store = createRunStore(runs, () => 5_000)
  const locks = createLocks(createLockStore(runs, 5_000), LOCK_TIMINGS, lockClock)
  serveInspection(runs, toSettings(settings), { records: createRecordReader(store), locks })
  const calls: string[] = []
  const serve: InspectionStage['serve'] = (id, metadata = {}, schema) => {
    worker.registerFunction(id, () => calls.push(id), { metadata, ...(schema && { request_format: schema }) })
  }
  if (serves !== undefined) serve(serves)
  await Promise.all([worker.ready(), runs.ready()])
  const ask = <T>(name: string, payload: object = {}, metadata?: unknown): Promise<T> =>
    worker.trigger<T>({ function_id: `runs::${name}`, payload, metadata })
  return {
    engine,
    worker,
    calls,
    store,
    settings,
    ask,
    async fault(name, request, metadata) {
      const answer = await ask(name, request, metadata).catch(toFault)
      if (answer instanceof Error) return answer as Fault
      throw new Error(`${name} answered ${JSON.stringify(answer)}`)
    },
    serve,
    record: (run) => writeRecord(store, run),
    async [Symbol.asyncDispose]() {
      await Promise.all([worker.shutdown(), runs.shutdown()])
      await engine.close()
    },
  }
}

function defaults(): Options {
  const entries = Object.entries(options).map(([name, spec]) => [name, spec.default])
  return Object.fromEntries(entries) as Options
}

function toSettings(settings: { readonly value: Options }): Settings<Options> {
  return {
    get value() {
      return settings.value
    },
    locked: undefined,
    onChange: () => () => {},
  }
}
