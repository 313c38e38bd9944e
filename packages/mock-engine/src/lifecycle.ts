import { setTimeout as sleep } from 'node:timers/promises'
import { createConfigurationStore } from './configuration/configuration-store.ts'
import { createFrameTap, type FrameTap } from './connections/frame-tap.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import type { FaultRule } from './faults/rule.ts'
import { createStrikeLog } from './faults/strike-log.ts'
import { createHttpRefusal } from './http/http-refusal.ts'
import { type Instance, type Ports, startInstance } from './instance.ts'
import type { ResolvedOptions } from './options.ts'
import { openStateFiles, type StateFiles } from './state/state-files.ts'
import { createStateStore } from './state/store.ts'

/** How an engine is restarted. */
export interface RestartOptions {
  /** Whether `state::*` is still there afterwards. @default 'keep' with a `dataDir` or a `sharedState`, else 'lose', as the real engine */
  readonly state?: 'keep' | 'lose' | undefined
  /** How long the engine is down, in milliseconds. @default 0 */
  readonly downMs?: number | undefined
}

/** An engine over its restarts. */
export interface Lifecycle {
  readonly tap: FrameTap
  readonly faults: Faults
  /** The same after every restart. */
  readonly ports: Ports
  /** `undefined` while the engine is down. */
  readonly instance: Instance | undefined
  /**
   * Stops the instance and starts the next one: nothing that was registered or under way is left. Stored settings are, without their
   * schemas.
   *
   * @throws PortTakenError when another process took a port in between.
   */
  restart(options?: RestartOptions): Promise<void>
  /** Stops for good and writes what is left of the state. @throws an Error when that fails. */
  close(): Promise<void>
}

/** @throws PortTakenError, FaultRuleError */
export async function startLifecycle(options: ResolvedOptions): Promise<Lifecycle> {
  const tap = createFrameTap()
  const settings = createConfigurationStore(options.env)
  let pinned = options
  let store = createStateStore()
  let files: StateFiles | undefined
  const tell = (level: 'warn' | 'error', message: string) => options.log({ level, message, service: undefined })
  const complain = (error: unknown) => tell('error', String(error))
  const instances = createInstances(
    () => startInstance(pinned, { tap, faults, store, settings }),
    () => httpRefusal.apply(),
  )
  const httpRefusal = createHttpRefusal(() => instances.current?.http, complain)
  const restart = async ({ state, downMs = 0 }: RestartOptions = {}) => {
    const objection = objectionToRestart(state, options)
    if (objection !== undefined) throw new Error(objection)
    await instances.restart(downMs, () => {
      if (!outlastsEngine(options) && state !== 'keep') store = createStateStore()
    })
  }
  const faults = createFaults(options.seed, {
    objection: (rule) => objectionTo(rule, options, instances.current),
    workers: () => instances.current?.bus.workers.list() ?? [],
    refuseHttp: httpRefusal.add,
    restart: (how) => restart(how).catch(complain),
  })
  const close = async () => {
    faults.clear()
    await instances.close()
    await files?.close()
  }
  try {
    faults.watch(createStrikeLog((message) => tell('warn', message)))
    for (const rule of options.faults) faults.inject(rule)
    if (options.dataDir !== undefined) files = await openStateFiles(options.dataDir, tell)
    store = files?.store ?? options.sharedState ?? store
    const { ports } = await instances.start()
    pinned = pin(options, ports)
    return {
      tap,
      faults,
      ports,
      get instance() {
        return instances.current
      },
      restart,
      close,
    }
  } catch (error) {
    // What went wrong first is what is told.
    await close().catch(() => {})
    throw error
  }
}

/** One instance after the other, never two at once. @param started - told when one is in place. */
function createInstances(startNext: () => Promise<Instance>, started: () => void) {
  const closing = new AbortController()
  let current: Instance | undefined
  let restarts: Promise<void> = Promise.resolve()

  async function start(): Promise<Instance> {
    current = await startNext()
    started()
    return current
  }

  async function stop(): Promise<void> {
    const last = current
    current = undefined
    await last?.stop()
  }

  async function restart(downMs: number, whileDown: () => void): Promise<void> {
    await stop()
    // Closing does not wait until the time is over.
    await sleep(downMs, undefined, { signal: closing.signal }).catch(() => {})
    if (closing.signal.aborted) return
    whileDown()
    await start()
  }

  return {
    get current() {
      return current
    },
    start,
    async restart(downMs: number, whileDown: () => void): Promise<void> {
      if (closing.signal.aborted) throw new Error('the engine was closed and cannot be restarted')
      restarts = restarts.catch(() => {}).then(() => restart(downMs, whileDown))
      await restarts
    },
    async close(): Promise<void> {
      closing.abort()
      await restarts.catch(() => {})
      await stop()
    },
  }
}

/** What stands against a rule on this engine. */
function objectionTo(rule: FaultRule, options: ResolvedOptions, current: Instance | undefined): string | undefined {
  if (rule.fault === 'restart') return objectionToRestart(rule.state, options)
  if (rule.fault === 'drop-connection' && (rule.when ?? 'now') === 'now' && !current) {
    return "nobody is connected while the engine is down: say when 'connect', 'register', 'call', 'result' or 'own-call'"
  }
  return undefined
}

function objectionToRestart(kept: RestartOptions['state'], options: ResolvedOptions): string | undefined {
  if (kept !== 'lose' || !outlastsEngine(options)) return undefined
  return options.dataDir === undefined
    ? "the state is shared with other engines: ask for state 'keep', or start the engine with one of its own"
    : `the state is kept in ${options.dataDir}: ask for state 'keep', or start the engine without a folder`
}

function outlastsEngine({ dataDir, sharedState }: ResolvedOptions): boolean {
  return dataDir !== undefined || sharedState !== undefined
}

/** The options with the ports that were found. */
function pin(options: ResolvedOptions, { bus, http, restricted }: Ports): ResolvedOptions {
  const pinned = { ...options, port: bus, httpPort: http }
  return options.restricted && restricted
    ? { ...pinned, restricted: { ...options.restricted, port: restricted } }
    : pinned
}
