import type { Functions } from '../bus/functions.ts'
import type { Worker, Workers } from '../bus/workers.ts'

/** What an occasion is about: whatever of it is known. */
export interface Subject {
  readonly functionId?: string | undefined
  /** The connection, `undefined` for a function of the engine's own. */
  readonly workerId?: string | undefined
  readonly workerName?: string | undefined
}

/** Who has which function, and who is connected. */
export interface Scene {
  readonly functions: Functions
  readonly workers: Workers
}

/** A connection, and the function it does something about. */
export function toSubject(worker: Worker, functionId?: string): Subject {
  return { functionId, workerId: worker.id, workerName: worker.report?.name }
}

/** A function and who has it. */
export function calleeOf({ functions, workers }: Scene, functionId: string, namespace: string | undefined): Subject {
  const host = functions.get(functionId, namespace)?.host
  if (host?.kind !== 'worker') return { functionId, workerName: host?.workerName }
  return { functionId, workerId: host.workerId, workerName: workers.get(host.workerId)?.report?.name }
}
