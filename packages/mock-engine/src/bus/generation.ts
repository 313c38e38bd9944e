import type { Frame } from '../wire/frames.ts'
import type { FunctionHost, Functions } from './functions.ts'
import type { NamespaceState } from './namespace-state.ts'
import type { WorkerNames } from './worker-names.ts'
import type { BusWorker } from './workers.ts'

/** The engines that this package can be. */
export const ENGINES = ['0.22', '0.23'] as const

export type EngineGeneration = (typeof ENGINES)[number]

/**
 * What one generation of the engine does in another way than the next. Everything else is written for namespaces: on an
 * engine that does not know them no frame or input ever names one.
 */
export interface Generation {
  /** The release whose behaviour it is. */
  readonly version: string
  /** Members of frames that this engine does not know: they are not looked at. */
  readonly unknownMembers: ReadonlySet<string>
  /**
   * Fields that came with the next generation, of what the engine reads or shows: all of them, or none. A field that is not
   * read is like one that was not sent.
   */
  newer<T extends object>(fields: T): T
  /** Which worker names are taken; new with every run. */
  createWorkerNames(): WorkerNames
  /** Where a new connection registers. @param carryOut - does what a frame says that had to wait. */
  admit(worker: BusWorker, carryOut: (frame: Frame) => Promise<void> | undefined): NamespaceState
  /** Who keeps a worker from registering a function: a connection, the engine (''), or nobody. */
  conflictingOwner(functions: Functions, worker: BusWorker, functionId: string): string | undefined
  /** The name of the queue that a subscriber's durable messages wait in. */
  subscriberQueueName(topic: string, functionId: string, namespace: string): string
  readonly texts: Texts
  readonly access: AccessHabits
}

/** How what is missing is told. */
export interface Texts {
  /** @param caller - who asked: a worker, or the engine itself. */
  functionNotFound(
    functionId: string,
    namespace: string,
    caller: 'worker' | 'engine',
    elsewhere: readonly string[],
  ): string
  triggerTypeNotFound(id: string, namespace: string): string
}

/** Habits of a listener with access rules. */
export interface AccessHabits {
  /** Whether a worker may bind only functions it may call. */
  readonly targetsGated: boolean
  /** Whether it learns of an id it may not call that there is no such function. */
  readonly absenceTold: boolean
  /** Whether a call goes straight to its function, past the middleware. */
  passesMiddleware(functionId: string, host: FunctionHost | undefined): boolean
}
