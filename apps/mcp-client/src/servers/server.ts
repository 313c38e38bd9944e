import { Fault } from '@iii/protocol'
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
import { type Connection, connect, type Starter } from './connection.ts'
import { type KeeperParts, keep } from './keeper.ts'
import { createReadiness } from './readiness.ts'
import { createRefreshPace } from './refresh-pace.ts'
import type { ServerStatus } from './server-status.ts'
import { createStanding, type Standing } from './standing.ts'
import type { StartGate } from './start-gate.ts'
import { toStatus } from './status.ts'
import { createStderrRing } from './stderr-ring.ts'
import { createServerTools } from './tools.ts'
import { createTurn, pause } from './turn.ts'
import { createAbsence, createWishes, findRest, toConflict } from './wishes.ts'

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
  reach(signal: AbortSignal): Promise<Connection>
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
  readonly starter: Starter
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
  const life = createLife(options)
  const { wishes, parts, tools, pace, queue, counts, config } = life
  const { readiness, turn, standing, backoff } = parts
  const { name } = config()
  const restart = () => {
    backoff.reset()
    void drain(life)
  }

  const kept = keep({ ...parts, ...createDeeds(options, life) })

  return {
    ...{ name, counts, queue, restart },
    get config() {
      return config()
    },
    status: () => toStatus({ ...life, ...parts, functions: options.functions, isChurning: pace.isChurning }),
    async reach(signal) {
      const connection = readiness.current ?? (await readiness.wait(signal))
      signal.throwIfAborted()
      if (connection === undefined) throw unreachable(name, standing)
      return connection
    },
    refresh: pace.hint,
    judge: () => void tools.judge(),
    apply(entry) {
      const change = compareConfigs(config(), entry.config)
      wishes.entry = entry
      if (change === 'restart') restart()
      if (change !== 'in_place') return
      void tools.judge()
      pace.hint()
    },
    allow(isAllowed) {
      if (wishes.isAllowed === isAllowed) return
      wishes.isAllowed = isAllowed
      turn.end()
    },
    retire() {
      wishes.isAllowed = false
      void drain(life)
    },
    setConflict(owner) {
      if (wishes.conflict === owner) return
      wishes.conflict = owner
      parts.rests.tell(owner === undefined ? [] : [toConflict(name, owner)])
      if (standing.state === 'conflict') turn.end()
      else if (owner === undefined) void tools.judge()
      else tools.withdraw()
    },
    async close() {
      wishes.isClosed = true
      pace.close()
      life.absence.settle()
      turn.end()
      await Promise.all([kept, life.process?.stop({ graceMs: CLOSE_GRACE_MS })])
    },
  }
}

type Life = ReturnType<typeof createLife>

/** What is known of a server, and what it is made of. */
function createLife(options: ServerOptions) {
  const { starter, log, gate } = options
  const { clock } = starter
  const wishes = createWishes(options.entry)
  const config = () => wishes.entry.config
  const turn = createTurn()
  const readiness = createReadiness(clock)
  const tools = createServerTools({
    ...options,
    config,
    isShown: () => !wishes.isGone && wishes.conflict === undefined,
    commandHash: () => toCommandHash(config()),
    notices: createNotices(log, 'not all tools of the server are there'),
  })

  let cancelRetry: () => void = () => undefined
  async function load({ session, filter }: Connection): Promise<void> {
    await tools.load(session, filter)
    cancelRetry()
    if (tools.isStale) cancelRetry = clock.after(RETRY_LIST_MS, pace.hint)
  }

  const refresh = async () => {
    if (readiness.current !== undefined) await load(readiness.current)
  }
  const pace = createRefreshPace({ clock, refresh })
  return {
    ...{ wishes, config, tools, pace, load, clock },
    parts: {
      clock,
      log,
      gate,
      turn,
      readiness,
      standing: createStanding(),
      backoff: createBackoff(clock),
      rests: createNotices(log, 'the server has no functions'),
    },
    queue: createCallQueue(config().name, () => config().concurrency, clock),
    counts: createCounts(),
    absence: createAbsence(clock, wishes, tools),
    /** The last one, which may have ended. */
    process: undefined as ServerProcess | undefined,
    stderr: createStderrRing(),
  }
}

/** What its keeper does with it. */
function createDeeds({ starter, findConflict }: ServerOptions, life: Life): Omit<KeeperParts, keyof Life['parts']> {
  const { wishes, absence, pace, counts, config, load, stderr } = life
  return {
    isClosed: () => wishes.isClosed,
    findRest: () => findRest(wishes, findConflict),
    start: (signal) =>
      connect({
        ...{ ...starter, config: config(), counts, signal, stderr },
        spawn(...of) {
          life.process = starter.spawn(...of)
          return life.process
        },
        onToolsChanged: pace.hint,
      }),
    async onReady(connection) {
      absence.end()
      await load(connection)
    },
    onAway: absence.begin,
    onRest: absence.settle,
  }
}

/** Ends what it does at the moment, open calls first, so that it decides anew. */
async function drain({ parts: { turn, readiness }, queue, clock, config }: Life): Promise<void> {
  const { signal } = turn
  if (readiness.current !== undefined) {
    readiness.expect()
    await Promise.race([queue.idle(), pause(clock, config().timeouts.stopMs, signal)])
  }
  // It may have ended by itself meanwhile.
  if (turn.signal === signal) turn.end()
}

function unreachable(name: string, { diagnostic, state, nextTry }: Standing): Fault {
  const why = diagnostic === undefined ? state : `${diagnostic.code}: ${diagnostic.message}`
  const next = nextTry === undefined ? '' : `; it is tried again at ${nextTry}`
  return new Fault('unavailable', `The MCP server '${name}' is not there (${why})${next}`)
}
