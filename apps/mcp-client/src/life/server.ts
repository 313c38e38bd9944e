import { Fault } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { type CallQueue, createCallQueue } from '../calls/call-queue.ts'
import { compareConfigs, toCommandHash } from '../configuration/compare.ts'
import type { GoodEntry, ServerConfig } from '../configuration/server-config.ts'
import { type Counts, createCounts } from '../counts.ts'
import type { FunctionSet } from '../functions/function-set.ts'
import type { Pins } from '../pins/pins.ts'
import type { ServerStatus } from '../status/server-status.ts'
import type { ServerProcess } from '../transport/server-process.ts'
import { createBackoff } from './backoff.ts'
import { type Connection, connect, type Starter } from './connection.ts'
import { keep } from './keeper.ts'
import { createReadiness } from './readiness.ts'
import { createRefreshPace } from './refresh-pace.ts'
import { createStanding, type Standing } from './standing.ts'
import type { StartGate } from './start-gate.ts'
import { createServerTools } from './tools.ts'
import { toStatus } from './status.ts'
import { createTurn, pause } from './turn.ts'
import { createAbsence, createWishes, findRest } from './wishes.ts'

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
  const { starter, functions, log } = options
  const { clock } = starter
  const wishes = createWishes(options.entry)
  const config = () => wishes.entry.config
  const { name } = config()
  const counts = createCounts()
  const queue = createCallQueue(name, () => config().concurrency, clock)
  const parts = { standing: createStanding(), readiness: createReadiness(clock), turn: createTurn() }
  const { readiness, turn, standing } = parts
  const backoff = createBackoff(clock)
  const tools = createServerTools({
    ...options,
    config,
    isShown: () => !wishes.isGone && wishes.conflict === undefined,
    commandHash: () => toCommandHash(config()),
  })
  const pace = createRefreshPace({ clock, refresh, onChurning: () => undefined })
  const away = createAbsence(clock, wishes, tools)
  let stderr: () => readonly string[] = () => []
  let process: ServerProcess | undefined

  async function refresh(): Promise<void> {
    const { current } = readiness
    if (current === undefined) return
    await tools.load(current.session, current.filter)
    if (tools.isStale) clock.after(RETRY_LIST_MS, pace.hint)
  }

  async function drain(): Promise<void> {
    const { signal } = turn
    if (readiness.current !== undefined) {
      readiness.expect()
      await Promise.race([queue.idle(), pause(clock, config().timeouts.stopMs, signal)])
    }
    // It may have ended by itself meanwhile.
    if (turn.signal === signal) turn.end()
  }

  const kept = keep({
    ...{ ...parts, clock, backoff, gate: options.gate, log },
    isClosed: () => wishes.isClosed,
    findRest: () => findRest(wishes, options.findConflict),
    start: (signal) =>
      connect({
        ...{ ...starter, config: config(), counts, signal },
        spawn(...of) {
          process = starter.spawn(...of)
          return process
        },
        onToolsChanged: pace.hint,
        onStderr: (lines) => {
          stderr = lines
        },
      }),
    async onReady({ session, filter }) {
      away.end()
      await tools.load(session, filter)
      if (tools.isStale) clock.after(RETRY_LIST_MS, pace.hint)
    },
    onAway: away.begin,
    onRest: away.settle,
  })

  return {
    ...{ name, counts, queue },
    get config() {
      return config()
    },
    status: () => toStatus({ wishes, standing, readiness, tools, functions, counts, backoff, stderr, isChurning: pace.isChurning }),
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
      if (change === 'restart') return this.restart()
      if (change === 'same') return
      void tools.judge()
      pace.hint()
    },
    restart() {
      backoff.reset()
      void drain()
    },
    allow(isAllowed) {
      if (wishes.isAllowed === isAllowed) return
      wishes.isAllowed = isAllowed
      turn.end()
    },
    retire() {
      wishes.isAllowed = false
      void drain()
    },
    setConflict(owner) {
      if (wishes.conflict === owner) return
      wishes.conflict = owner
      if (standing.state === 'conflict') turn.end()
      else if (owner === undefined) void tools.judge()
      else tools.withdraw()
    },
    async close() {
      wishes.isClosed = true
      pace.close()
      away.settle()
      turn.end()
      await Promise.all([kept, process?.stop({ graceMs: CLOSE_GRACE_MS })])
    },
  }
}

function unreachable(name: string, { diagnostic, state, nextTry }: Standing): Fault {
  const why = diagnostic === undefined ? state : `${diagnostic.code}: ${diagnostic.message}`
  const next = nextTry === undefined ? '' : `; it is tried again at ${nextTry}`
  return new Fault('unavailable', `The MCP server '${name}' is not there (${why})${next}`)
}
