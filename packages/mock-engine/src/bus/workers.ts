import type { JsonText } from '../json/json-text.ts'
import type { NamespaceState } from './namespace-state.ts'

/** What a worker reported about itself through `engine::workers::register`. */
export interface WorkerReport {
  readonly name: string | undefined
  readonly description: string | undefined
  readonly version: string | undefined
  readonly runtime: string
  readonly os: string | undefined
  readonly pid: number | undefined
  readonly isolation: string | undefined
}

/** A connection to the bus as the rest of the engine sees it. */
export interface BusWorker {
  readonly id: string
  readonly token: string
  readonly ip: string
  readonly connectedAt: number
  /** What the connection may do; `undefined` on the open listener. */
  readonly session: ListenerSession | undefined
  readonly namespaceState: NamespaceState
  /** Every id it registered and has not unregistered, in its namespace, whoever owns it now. */
  readonly functionIds: Set<string>
  report: WorkerReport | undefined
  /** @returns `false` when the connection is known to be gone. */
  send(frame: string): boolean
  /** Waits until somebody who sends to it may go on, while too much waits for it already; `undefined` when that is at once. */
  drained(): Promise<void> | undefined
  /** Ends the connection, without a close frame unless told otherwise, and cleans up after it at once. */
  evict(how?: 'cut' | 'close'): void
  /**
   * The same for a connection that takes its place: what is being handled is given some time.
   *
   * @throws Panic when the clean-up cannot be finished; the connection stays open then.
   */
  evictForReattach(): Promise<void> | undefined
  /** Reads nothing more of the connection until it is resumed. */
  pause(): void
  resume(): void
}

/** The rights of a connection to a listener with access rules. */
export interface ListenerSession {
  /** The refusal text, or `undefined` when the call is allowed. */
  refuseCall(functionId: string, namespace: string): string | undefined
  /** The same for a namespace that the connection wants to register in. */
  refuseNamespace(namespace: string): string | undefined
  allowsTriggerType(id: string): boolean
  readonly mayRegisterFunctions: boolean
  readonly mayRegisterTriggerTypes: boolean
  /** Written before every function id the connection registers. */
  readonly prefix: string
  /** What the auth function wants the other functions of the listener to know. */
  readonly context: JsonText
  /** A function that is called in the place of every function the connection calls, but those of the engine. */
  readonly middlewareId: string | undefined
  /** Functions that are asked about what the connection registers. */
  readonly hooks: Readonly<Partial<Record<HookKind, string>>>
}

export type HookKind = 'function' | 'trigger' | 'triggerType'

/** The connections in the order they came. */
export interface Workers {
  get(id: string): BusWorker | undefined
  add(worker: BusWorker): void
  remove(id: string): boolean
  list(): readonly BusWorker[]
  /** The reported name of the first connected worker that has one and ever registered this id. */
  nameFor(functionId: string, namespace: string): string | undefined
}

export function createWorkers(): Workers {
  const workers = new Map<string, BusWorker>()
  return {
    get: (id) => workers.get(id),
    add: (worker) => void workers.set(worker.id, worker),
    remove: (id) => workers.delete(id),
    list: () => [...workers.values()],
    nameFor(functionId, namespace) {
      for (const { namespaceState, functionIds, report } of workers.values()) {
        const registered = namespaceState.namespace === namespace && functionIds.has(functionId)
        if (registered && report?.name !== undefined) return report.name
      }
      return undefined
    },
  }
}
