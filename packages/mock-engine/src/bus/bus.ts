import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { WireError } from '../wire/frames.ts'
import { formatRegistrationResult, type TraceContext } from '../wire/outgoing.ts'
import { childTrace } from '../wire/trace-context.ts'
import type { BuiltinWorker } from './builtin-worker.ts'
import { type Calls, createCalls } from './calls.ts'
import { type Counters, createCounters } from './counters.ts'
import type { Defects } from './defects.ts'
import { createFunctions, type Functions } from './functions.ts'
import type { Generation } from './generation.ts'
import type { Trigger } from './trigger.ts'
import type { TypeReference } from './trigger-types.ts'
import { createTriggers, type Triggers } from './triggers.ts'
import type { WorkerNames } from './worker-names.ts'
import { type BusWorker, createWorkers, type Workers } from './workers.ts'

/** Everything that is registered on the engine and every call under way. */
export interface Bus {
  readonly generation: Generation
  readonly defects: Defects
  readonly counters: Counters
  readonly functions: Functions
  readonly calls: Calls
  readonly triggers: Triggers
  readonly workers: Workers
  /** Who has which worker name. */
  readonly workerNames: WorkerNames
  /** The built-ins, as they were installed. */
  readonly builtinWorkers: BuiltinWorker[]
  /** Calls the function of a binding, with the binding's metadata beside the data; the outcome is ignored. */
  fire(trigger: Trigger, data: JsonText, trace?: TraceContext): void
  /** Fires every binding of a type. @param newTrace - makes the trace context of each. */
  fireAll(triggerType: string, data: JsonText, newTrace?: () => TraceContext): void
}

export type WorkerEvent = 'worker_connected' | 'worker_metadata_updated' | 'worker_disconnected'

export const WORKERS_AVAILABLE = 'engine::workers-available'
export const FUNCTIONS_AVAILABLE = 'engine::functions-available'

/** What changes calls, and the order of bindings, on request. */
interface Interference {
  around(calls: Calls, registered: Pick<Bus, 'functions' | 'workers'>): Calls
  reorder(bindings: readonly Trigger[]): readonly Trigger[]
}

export function createBus(faults: Interference, defects: Defects, generation: Generation): Bus {
  const functions = createFunctions(defects)
  const workers = createWorkers()
  const counters = createCounters()
  const calls = faults.around(createCalls(functions, counters, generation.texts), { functions, workers })
  const refused = ({ id, triggerType, functionId, ownerId }: Trigger, error: WireError) => {
    const owner = ownerId === undefined ? undefined : workers.get(ownerId)
    owner?.send(formatRegistrationResult(id, triggerType, functionId, error))
  }
  const triggers = createTriggers(refused, faults.reorder)
  const fire = ({ functionId, namespace, metadata }: Trigger, data: JsonText, trace: TraceContext = {}) =>
    calls.start({ functionId, namespace, data, metadata, trace }, () => {})
  return {
    generation,
    defects,
    counters,
    functions,
    calls,
    triggers,
    workers,
    workerNames: generation.createWorkerNames(),
    builtinWorkers: [],
    fire,
    fireAll(triggerType, data, newTrace = () => ({})) {
      for (const trigger of triggers.list()) if (trigger.triggerType === triggerType) fire(trigger, data, newTrace())
    },
  }
}

/** Tells the bindings of `engine::workers-available` what happened to a connection. */
export function announceWorker(bus: Bus, event: WorkerEvent, workerId: string): void {
  if (event === 'worker_connected') bus.counters.workers.spawns++
  if (event === 'worker_disconnected') bus.counters.workers.deaths++
  bus.fireAll(WORKERS_AVAILABLE, objectText({ event: quote(event), worker_id: quote(workerId) }), childTrace)
}

/** The connections that are being cleaned up after, with the end of that. */
const leaving = new WeakMap<BusWorker, Promise<void>>()

const NEVER = new Promise<void>(() => {})

/**
 * Cleans up after a connection: its functions, its calls, its bindings and types, itself. Whoever asks for it while it is
 * under way waits for its end; one that broke off has none.
 *
 * @returns a promise when a provider has too much to read to hear of it.
 * @throws Panic when a binding cannot be removed; what is left stays.
 */
export function removeWorker(bus: Bus, worker: BusWorker): Promise<void> | undefined {
  if (bus.workers.get(worker.id) !== worker) return undefined
  const present = leaving.get(worker)
  if (present) return present
  leaving.set(worker, NEVER)
  worker.namespaceState.abandon()
  bus.workerNames.release(worker.id)
  bus.functions.releaseAll(worker.id)
  bus.calls.halt(worker.id)
  const bound = bus.triggers.list().filter(({ ownerId }) => ownerId === worker.id)
  const waits = bound.flatMap((trigger) => providerDrained(bus, trigger) ?? [])
  bus.triggers.removeWorker(worker.id)
  const finish = () => {
    bus.workers.remove(worker.id)
    announceWorker(bus, 'worker_disconnected', worker.id)
  }
  if (waits.length === 0) {
    finish()
    return undefined
  }
  const done = Promise.all(waits).then(finish)
  leaving.set(worker, done)
  return done
}

/** Whether somebody may remove a binding. @param workerId - `undefined` for the engine itself. */
export function mayUnbind({ defects }: Bus, { ownerId }: Trigger, workerId: string | undefined): boolean {
  return defects.unboundByStranger || ownerId === undefined || workerId === undefined || ownerId === workerId
}

/** Waits while the worker that hears of a binding has too much to read; `undefined` when it has not. */
export function providerDrained(
  { triggers, workers }: Bus,
  binding: TypeReference & { readonly id?: string },
): Promise<void> | undefined {
  const workerId = triggers.providerFor(binding)?.workerId
  return workerId === undefined ? undefined : workers.get(workerId)?.drained()
}
