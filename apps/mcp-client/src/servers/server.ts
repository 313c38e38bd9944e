import type { Logger } from '@iii/sdk'
import { compareConfigs, toCommandHash } from '../configuration/compare.ts'
import type { GoodEntry, ServerConfig } from '../configuration/server-config.ts'
import { type Counts, createCounts } from '../diagnostics/counts.ts'
import { createNotices } from '../diagnostics/notices.ts'
import type { FunctionSet } from '../functions/function-set.ts'
import type { Pins } from '../pins/pins.ts'
import type { ServerProcess } from '../transport/server-process.ts'
import { createBackoff } from './backoff.ts'
import { type CallQueue, createCallQueue } from './call-queue.ts'
import { createCondition, toUnreachable } from './condition.ts'
import { connectToServer, type ServerConnection, type ServerStarter } from './connection.ts'
import { createCycle, pauseOnClock } from './cycle.ts'
import { createAbsence, createDesiredState, findObstacle, toNameConflict } from './desired-state.ts'
import { createServerReadiness } from './readiness.ts'
import { createRefreshPace } from './refresh-pace.ts'
import type { ServerStatus } from './server-status.ts'
import type { StartGate } from './start-gate.ts'
import { toServerStatus } from './status.ts'
import { createStderrRing } from './stderr-ring.ts'
import { type SupervisorParts, supervise } from './supervisor.ts'
import { createServerTools } from './tools.ts'

/** One server of the file, from its first start to the end of this worker. */
export interface Server {
  readonly name: string
  readonly config: ServerConfig
  readonly counts: Counts
  readonly queue: CallQueue
  status(): ServerStatus
  /**
   * Resolves when there is a connection; one that is on its way is waited for.
   *
   * @throws Fault `unavailable` that says why there is none; the reason of the signal when that fires
   */
  reach(signal: AbortSignal): Promise<ServerConnection>
  /** Whether this function of it is on the engine at the moment, which none is that waits for approval. */
  offers(id: string): boolean
  /** Its tools may be others than those that are known. */
  refresh(): void
  /** What was approved is something else. */
  judge(): void
  apply(entry: GoodEntry): void
  /** Starts it anew, when its open calls are over or a moment has passed. */
  restart(): void
  /** Whether this process may run it at all: another one of the same worker may be there. It ends at once when not. */
  allow(isAllowed: boolean): void
  /** It is not in the file any more: it ends when its open calls are over or a moment has passed. */
  retire(): void
  /** Who else has functions under its name. */
  setConflict(owner: string | undefined): void
  /** Resolves when nobody of it is left. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly entry: GoodEntry
  readonly starter: ServerStarter
  readonly gate: StartGate
  readonly functions: FunctionSet
  readonly pins: Pick<Pins, 'judge'>
  readonly log: Logger
  /** Who else has functions under its name; rejects when that cannot be known. */
  findConflict(name: string): Promise<string | undefined>
}

/** Of the two seconds in which a worker has to end. */
const CLOSE_GRACE_MS = 250
/** A list that did not come is asked for again. */
const RETRY_LIST_MS = 30_000

export function createServer(options: ServerOptions): Server {
  const internals = createInternals(options)
  const { desired, parts, tools, pace, queue, counts, config } = internals
  const { readiness, cycle, condition, backoff } = parts
  const { name } = config()
  const restart = () => {
    backoff.reset()
    void drain(internals)
  }

  const supervised = supervise({ ...parts, ...createActions(options, internals) })

  return {
    ...{ name, counts, queue, restart },
    get config() {
      return config()
    },
    status: () => toServerStatus({ ...internals, ...parts, functions: options.functions, isChurning: pace.isChurning }),
    async reach(signal) {
      const connection = readiness.current ?? (await readiness.wait(signal))
      signal.throwIfAborted()
      if (connection === undefined) throw toUnreachable(name, condition)
      return connection
    },
    offers: options.functions.has,
    refresh: pace.hint,
    judge: () => void tools.judge(),
    apply(entry) {
      const change = compareConfigs(config(), entry.config)
      desired.entry = entry
      // What it failed for may be what has changed.
      const isFailing = condition.state === 'backoff' || condition.state === 'parked'
      if (change === 'restart' || (change === 'in_place' && isFailing)) restart()
      if (change !== 'in_place') return
      queue.admit()
      void tools.judge()
      pace.hint()
    },
    allow(isAllowed) {
      if (desired.isAllowed === isAllowed) return
      desired.isAllowed = isAllowed
      // One that comes back while it ends starts anew then.
      if (isAllowed && isDraining(internals)) return
      // Who had functions under its name while this process stood by was most likely the one that served.
      if (isAllowed) desired.conflict = undefined
      cycle.end()
    },
    retire() {
      desired.isAllowed = false
      void drain(internals)
    },
    setConflict(owner) {
      if (desired.conflict === owner) return
      desired.conflict = owner
      // While another process of this worker serves, they are most likely the functions of that one.
      if (desired.isAllowed) parts.obstacles.tell(owner === undefined ? [] : [toNameConflict(name, owner)])
      if (condition.state === 'conflict') cycle.end()
      else if (owner === undefined) void tools.judge()
      else tools.withdraw()
    },
    async close() {
      desired.isClosed = true
      pace.close()
      internals.absence.settle()
      cycle.end()
      await Promise.all([supervised, internals.process?.stop({ graceMs: CLOSE_GRACE_MS })])
    },
  }
}

type Internals = ReturnType<typeof createInternals>

/** What is known of a server, and what it is made of. */
function createInternals(options: ServerOptions) {
  const { starter, log, gate } = options
  const { clock } = starter
  const desired = createDesiredState(options.entry)
  const config = () => desired.entry.config
  const cycle = createCycle()
  const readiness = createServerReadiness(clock)
  const tools = createServerTools({
    ...options,
    config,
    isShown: () => !desired.isGone && desired.conflict === undefined,
    commandHash: () => toCommandHash(config()),
    notices: createNotices(log, 'not all tools of the server are there'),
  })

  let cancelRetry: () => void = () => undefined
  /** It was to be listed again while its first list was under way. */
  let isOutdated = false
  async function load({ session, filter }: ServerConnection): Promise<void> {
    isOutdated = false
    await tools.load(session, filter)
    cancelRetry()
    if (tools.isStale) cancelRetry = clock.after(RETRY_LIST_MS, pace.hint)
    else if (isOutdated) pace.hint()
  }

  const refresh = async () => {
    if (readiness.current === undefined) isOutdated = true
    else await load(readiness.current)
  }
  const pace = createRefreshPace({ clock, refresh })
  return {
    ...{ desired, config, tools, pace, load, clock },
    parts: {
      clock,
      log,
      gate,
      cycle,
      readiness,
      condition: createCondition(),
      backoff: createBackoff(clock),
      obstacles: createNotices(log, 'the server has no functions'),
    },
    queue: createCallQueue(config().name, () => config().concurrency, clock),
    counts: createCounts(),
    absence: createAbsence(clock, desired, tools),
    /** The last one, which may have ended. */
    process: undefined as ServerProcess | undefined,
    stderr: createStderrRing(),
    /** Of what waits for open calls to end. */
    draining: undefined as AbortSignal | undefined,
  }
}

/** What its keeper does with it. */
function createActions(
  { starter, findConflict }: ServerOptions,
  internals: Internals,
): Omit<SupervisorParts, keyof Internals['parts']> {
  const { desired, absence, pace, counts, config, load, stderr } = internals
  return {
    isClosed: () => desired.isClosed,
    findObstacle: () => findObstacle(desired, findConflict),
    start: (signal) =>
      connectToServer({
        ...{ ...starter, config, counts, signal, stderr },
        spawn(...of) {
          internals.process = starter.spawn(...of)
          return internals.process
        },
        onToolsChanged: pace.hint,
      }),
    async onReady(connection) {
      absence.end()
      await load(connection)
    },
    onAway: absence.begin,
    onObstacle: absence.settle,
  }
}

/** Ends what it does at the moment, open calls first, so that it decides anew. */
async function drain(internals: Internals): Promise<void> {
  // Whoever asks a second time cuts no call off.
  if (isDraining(internals)) return
  const { clock, config, parts, queue } = internals
  const { condition, cycle, readiness } = parts
  const { signal } = cycle
  if (readiness.current !== undefined) {
    internals.draining = signal
    readiness.expect()
    condition.set('connecting')
    await Promise.race([queue.settle(), pauseOnClock(clock, config().timeouts.stopMs, signal)])
  }
  // It may have ended by itself meanwhile.
  if (cycle.signal === signal) cycle.end()
}

function isDraining({ draining, parts }: Internals): boolean {
  return draining === parts.cycle.signal
}
