import type { Family } from '../builtins/define.ts'
import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { type Calls, createCalls } from './calls.ts'
import { createFunctions, type Functions } from './functions.ts'
import { formatRegistrationResult } from './outgoing.ts'
import { createTriggers, type Trigger, type Triggers } from './triggers.ts'
import { createWorkers, type Worker, type Workers } from './workers.ts'

/** Everything that is registered on the engine and every call under way. */
export interface Bus {
  readonly functions: Functions
  readonly calls: Calls
  readonly triggers: Triggers
  readonly workers: Workers
  /** The built-ins, as they were installed. */
  readonly families: Family[]
  /** Calls the function of a binding, with the binding's metadata beside the data; the outcome is ignored. */
  fire(trigger: Trigger, data: JsonText): void
  /** Fires every binding of a type. */
  fireAll(triggerType: string, data: JsonText): void
}

export type WorkerEvent = 'worker_connected' | 'worker_metadata_updated' | 'worker_disconnected'

export const WORKERS_AVAILABLE = 'engine::workers-available'
export const FUNCTIONS_AVAILABLE = 'engine::functions-available'

export function createBus(): Bus {
  const functions = createFunctions()
  const calls = createCalls(functions)
  const workers = createWorkers()
  const triggers = createTriggers(({ id, triggerType, functionId, ownerId }, error) => {
    const owner = ownerId === undefined ? undefined : workers.get(ownerId)
    owner?.send(formatRegistrationResult(id, triggerType, functionId, error))
  })
  const fire = (trigger: Trigger, data: JsonText) =>
    calls.start({ functionId: trigger.functionId, data, metadata: trigger.metadata }, () => {})
  return {
    functions,
    calls,
    triggers,
    workers,
    families: [],
    fire,
    fireAll(triggerType, data) {
      for (const trigger of triggers.list()) if (trigger.triggerType === triggerType) fire(trigger, data)
    },
  }
}

/** Tells the bindings of `engine::workers-available` what happened to a connection. */
export function announceWorker(bus: Bus, event: WorkerEvent, workerId: string): void {
  bus.fireAll(WORKERS_AVAILABLE, objectText({ event: quote(event), worker_id: quote(workerId) }))
}

/** Cleans up after a connection: its functions, its calls, its bindings and types, itself. */
export function removeWorker(bus: Bus, worker: Worker): void {
  if (!bus.workers.remove(worker.id)) return
  bus.functions.releaseAll(worker.id)
  bus.calls.halt(worker.id)
  bus.triggers.removeWorker(worker.id)
  announceWorker(bus, 'worker_disconnected', worker.id)
}
