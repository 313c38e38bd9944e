import type { FunctionCaller } from '../engine/call.ts'
import type { Route } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import type { ConnectionState } from '../wire/connection.ts'

/** Another process on the engine, as far as it says who it is. */
export interface Owner {
  /** Its name in `engine::workers::list`; for a worker that does not say, the one that the engine guesses. */
  readonly name: string
  /** The id of its connection in `engine::workers::list`. */
  readonly workerId?: string | undefined
  readonly version?: string | undefined
  readonly pid?: number | undefined
  readonly host?: string | undefined
  /** What its registrations carry in their metadata as `iii.instance`. */
  readonly instance?: string | undefined
  /** It takes what is nobody's, and only when nobody else does. */
  readonly defers?: boolean | undefined
}

/**
 * Whether calls of this worker's functions arrive here. On an engine the last to register an id owns it, so a second
 * process of the same worker takes everything over, and when it leaves the ids are gone until they are registered again.
 */
export interface Ownership {
  /**
   * `serving`: everything that this worker registered is its own. `standby`: another live worker has some or all of it.
   * `returning`: it was found to belong to nobody and is about to be registered again.
   */
  readonly state: 'serving' | 'standby' | 'returning'
  /** Since when it serves, or does not. */
  readonly since: Date
  /** The functions that belong to somebody else. */
  readonly lost: readonly string[]
  /** Who has them, when it is on standby. */
  readonly owner: Owner | undefined
  /** Since when that process is connected and answers nothing. */
  readonly silentSince?: Date | undefined
}

/** Hears of a change. What it returns for `returning` is waited for, half a second at most, before anything is served. */
export type OwnershipListener = (ownership: Ownership) => void | Promise<void>

export interface OwnershipTimings {
  /** Between two looks when nothing happens: one call each. @default 5_000 */
  lookEveryMs: number
  /** Between two looks at everything when nothing happens. @default 60_000 */
  fullLookEveryMs: number
  /** How soon after a worker came everything is looked at: it registers meanwhile. A light look follows after five times as long. @default 300 */
  afterArrivalMs: number
  /** Between two looks at everything while workers come and go. @default 250 */
  betweenLooksMs: number
  /** After claiming one id, before the others: who claims at the same time is seen by then. @default 100 */
  claimMs: number
  /** How long a worker that defers leaves it to others to take what is nobody's. @default 1_000 */
  deferMs: number
  /** For one question to the engine. @default 2_000 */
  askTimeoutMs: number
  /** How long listeners may take before this worker serves again. @default 500 */
  listenersMs: number
  /** On standby, between two questions to the process that serves whether it still does; four times as long where nothing could be done. @default 250 */
  probeEveryMs: number
  /** That process is taken for lost when it has not answered for so long; four times as long where nothing could be done. @default 500 */
  silentAfterMs: number
}

export const OWNERSHIP_TIMINGS: OwnershipTimings = {
  lookEveryMs: 5_000,
  fullLookEveryMs: 60_000,
  afterArrivalMs: 300,
  betweenLooksMs: 250,
  claimMs: 100,
  deferMs: 1_000,
  askTimeoutMs: 2_000,
  listenersMs: 500,
  probeEveryMs: 250,
  silentAfterMs: 500,
}

/** The worker whose registrations are watched. */
export interface WatchedWorker extends FunctionCaller {
  readonly url: string
  readonly state: ConnectionState
  readonly workerId: string | undefined
  readonly namespace: string | undefined
  readonly instance: string
  readonly log: Logger
  ready(options: { timeoutMs: number }): Promise<void>
  onStateChange(listener: (state: ConnectionState) => void): () => void
  registerFunction(
    id: string,
    handler: (event: { event?: unknown } | null) => object,
    options: {
      description: string
      request_format: Record<string, unknown>
      response_format: Record<string, unknown>
      metadata: Record<string, unknown>
    },
  ): { unregister(): void }
  registerTrigger(input: { type: string; function_id: string }): { unregister(): void }
}

/** What a worker has registered, and how it says parts of that once more. */
export interface Registrations {
  /** Without those that are shared. */
  functionIds(): readonly string[]
  /** Those that any process may have. */
  sharedIds(): readonly string[]
  /** Those that were replaced while they were not ours to say, or not known to be. */
  untoldIds(): readonly string[]
  functionCount(): number
  /** Whether the engine refused it on this connection, because somebody else has it. */
  isRefused(id: string): boolean
  /** Takes these functions and what leads to them back, as if the engine had refused them, and lets those who watch look at once. */
  giveUp(ids: readonly string[]): void
  routes(): readonly Route[]
  repeatFunctions(ids: Iterable<string>): void
  repeatTypes(): void
  repeatRoutes(ids: Iterable<string>): void
}

/** `worker 'mcp' (id 5b1…, version 0.1.0, pid 4711 on host-a)` */
export function formatOwner({ name, workerId, version, pid, host }: Owner): string {
  const details = [
    workerId && `id ${workerId}`,
    version && `version ${version}`,
    pid && `pid ${pid}${host ? ` on ${host}` : ''}`,
  ].filter(Boolean)
  return `worker '${name}'${details.length > 0 ? ` (${details.join(', ')})` : ''}`
}
