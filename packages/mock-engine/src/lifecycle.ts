import { createFrameTap, type FrameTap } from './bus/frame-tap.ts'
import { createConfigurationStore } from './configuration/configuration-store.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import type { FaultRule } from './faults/rule.ts'
import { createStrikeLog } from './faults/strike-log.ts'
import { createHttpDoor } from './http/http-refusal.ts'
import { type Run, startRun } from './instance.ts'
import { openState } from './kept-state.ts'
import type { ResolvedOptions } from './options.ts'
import type { OpenPorts } from './ports.ts'
import { createPower } from './power.ts'
import type { StateFiles } from './state/state-files.ts'
import { createStateStore } from './state/store.ts'

/** How an engine is restarted. */
export interface RestartOptions {
  /** Whether `state::*` is still there afterwards. @default 'keep' with a `dataDir` or a `sharedState`, else 'lose', as the real engine */
  readonly state?: 'keep' | 'lose'
  /** How long the engine is down, in milliseconds. @default 0 */
  readonly downMs?: number
}

/** An engine over its restarts. */
export interface Life {
  readonly tap: FrameTap
  readonly faults: Faults
  /** The same in every run. */
  readonly ports: Pick<OpenPorts, 'bus' | 'http' | 'restricted'>
  /** `undefined` while the engine is down. */
  readonly run: Run | undefined
  /**
   * Ends the run and begins the next one: nothing that was registered or under way is left. Stored settings are, without their schemas.
   *
   * @throws PortTakenError when another process took a port in between.
   */
  restart(options?: RestartOptions): Promise<void>
  /** Ends it all and writes what is left of the state. @throws an Error when that fails. */
  end(): Promise<void>
}

/** @throws PortTakenError, FaultRuleError */
export async function startLife(options: ResolvedOptions): Promise<Life> {
  const tap = createFrameTap()
  const settings = createConfigurationStore(options.env)
  let where = options
  let store = createStateStore()
  let state: StateFiles | undefined
  const power = createPower(
    () => startRun(where, { tap, faults, store, settings }),
    () => door.apply(),
  )
  const complain = (error: unknown) => options.log({ level: 'error', message: String(error), service: undefined })
  const door = createHttpDoor(() => power.run?.ports.httpPort, complain)
  const restart = async ({ state: kept, downMs = 0 }: RestartOptions = {}) => {
    const objection = objectionToRestart(kept, options)
    if (objection !== undefined) throw new Error(objection)
    await power.cycle(downMs, () => {
      if (!outlastsEngine(options) && kept !== 'keep') store = createStateStore()
    })
  }
  const faults = createFaults(options.seed, {
    objection: (rule) => objectionTo(rule, options, power.run),
    workers: () => power.run?.bus.workers.list() ?? [],
    refuseHttp: door.shut,
    restart: (how) => restart(how).catch(complain),
  })
  const end = async () => {
    faults.clear()
    await power.off()
    await state?.close()
  }
  try {
    faults.watch(createStrikeLog((message) => options.log({ level: 'warn', message, service: undefined })))
    for (const rule of options.faults) faults.inject(rule)
    state = await openState(options)
    store = state.store
    const { ports } = await power.on()
    where = pin(options, ports)
    return {
      tap,
      faults,
      ports,
      get run() {
        return power.run
      },
      restart,
      end,
    }
  } catch (error) {
    // What went wrong first is what is told.
    await end().catch(() => {})
    throw error
  }
}

/** What stands against a rule on this engine. */
function objectionTo(rule: FaultRule, options: ResolvedOptions, run: Run | undefined): string | undefined {
  if (rule.fault === 'restart') return objectionToRestart(rule.state, options)
  if (rule.fault === 'drop-connection' && (rule.when ?? 'now') === 'now' && !run) {
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
function pin(options: ResolvedOptions, { bus, http, restricted }: OpenPorts): ResolvedOptions {
  const pinned = { ...options, port: bus, httpPort: http }
  return options.restricted && restricted
    ? { ...pinned, restricted: { ...options.restricted, port: restricted } }
    : pinned
}
