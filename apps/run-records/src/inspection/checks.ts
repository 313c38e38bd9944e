import { toFault } from '@iii/protocol'
import {
  type Check,
  type Finding,
  formatCount,
  ok,
  problem,
  type Result,
  runChecks,
  skipped,
  warning,
} from '@iii/sdk/cli'
import type { Options } from '../options.ts'
import { lacksState, NO_STATE } from '../store/no-state.ts'
import type { StateKind } from './engine-facts.ts'

/** Which lock is held by whom. */
export interface LockLook {
  readonly name: string
  /** Undefined for a lock that is free. */
  readonly held: { readonly run: string; readonly holder: string; readonly isGone: boolean } | undefined
}

/** What lies in the store. */
export interface StoreLook {
  readonly runs: KeptShare
  readonly calls: KeptShare
}

interface KeptShare {
  readonly entries: number
  readonly bytes: number
}

/** What the checks look at. Each rejects by itself. */
export interface Symptoms {
  readonly options: Readonly<Options>
  /** Whether whoever asks may know what others do. */
  readonly tellsOfOthers: boolean
  state(): Promise<StateKind>
  store(): Promise<StoreLook>
  /** Of the newest runs, those whose records cannot be read: somebody else, or another version, wrote them. */
  unreadableRuns(): Promise<string[]>
  /** Ids of runs that count as running and whose process is gone, or has lost their lock. */
  staleRuns(): Promise<string[]>
  locks(): Promise<LockLook[]>
  /** All jobs that are known, with the reason where one cannot be run. */
  jobs(): Promise<{ name: string; problem?: string | undefined }[]>
  /** Of the jobs that have a schedule, those that the clock of the engine runs, and the others. */
  schedules(): Promise<{ bound: string[]; unbound: string[] }>
  /** Whether a bridge on the engine tells of calls. */
  tellsOfCalls(): Promise<boolean>
  /** Whether clients may run jobs. */
  mayRun(): Promise<boolean>
  /** The address where the engine serves HTTP, if a network can reach it. */
  openAddress(): Promise<string | undefined>
}

/** How long one check may take. */
const CHECK_MS = 5_000

const CHECKS: Readonly<Record<string, (symptoms: Symptoms) => Promise<Finding>>> = {
  async state({ store, state }) {
    await store()
    return judgeState(await state())
  },
  async records({ unreadableRuns }) {
    const unreadable = await unreadableRuns()
    if (unreadable.length === 0) return ok('the newest runs can all be read')
    return warning(
      `${unreadable.length} of the newest runs cannot be read, another worker or version wrote them: ${unreadable.slice(0, 3).join(', ')}`,
      'leave them: they are never read, and go with the oldest runs',
    )
  },
  async 'stale runs'({ staleRuns }) {
    const stale = await staleRuns()
    if (stale.length === 0) return ok('no run counts as running that nobody runs')
    return warning(
      `of runs that count as running, these have lost their process or their lock: ${stale.join(', ')}`,
      '`iii-runs gc` marks them as unknown, and so does a run that takes over their lock',
    )
  },
  async locks({ locks, tellsOfOthers }) {
    const all = await locks()
    const names = all.map(({ name }) => name).join(', ')
    const toText = (name: string, by: string) => (tellsOfOthers ? `${name}${by}` : name)
    const dead = all.flatMap(({ name, held }) => (held?.isGone ? [toText(name, ` (run ${held.run})`)] : []))
    const held = all.flatMap(({ name, held: by }) => (by && !by.isGone ? [toText(name, ` by run ${by.run}`)] : []))
    if (dead.length === 0)
      return ok(
        held.length === 0 ? `none of these locks is held: ${names}` : `held: ${held.join(', ')}; looked at ${names}`,
      )
    return warning(
      `held by processes that are gone: ${dead.join(', ')}`,
      'a run that waits takes them over: `iii-runs run JOB --wait 20`; `iii-runs gc` frees them as soon as that is certain, `iii-runs unlock NAME` at once',
    )
  },
  async jobs({ jobs }) {
    const all = await jobs()
    const broken = all.flatMap(({ name, problem: why }) => (why === undefined ? [] : [{ name, why }]))
    if (all.length === 0) return ok('no job is known: the file that --config names declares them, or functions do')
    if (broken.length === 0) return ok(`can be run: ${formatCount(all.length, 'job')}`)
    return problem(
      `cannot be run: ${broken.map(({ name }) => name).join(', ')}`,
      ...broken.slice(0, 5).map(({ why }) => why),
    )
  },
  async schedules({ schedules }) {
    const { bound, unbound } = await schedules()
    if (unbound.length > 0)
      return problem(
        `the clock of the engine does not run: ${unbound.join(', ')}`,
        'start the worker runs with this file and the engine with iii-cron; where both run, the log of the worker says what the engine has against `schedule`',
      )
    return ok(bound.length === 0 ? 'no job has a schedule' : `the clock of the engine runs: ${bound.join(', ')}`)
  },
  async calls({ options, tellsOfCalls }) {
    if (!options.recordCalls) return ok('calls are not recorded: record.calls is off')
    if (await tellsOfCalls()) return ok('a bridge tells of the calls of MCP clients')
    return warning(
      'no bridge on this engine tells of calls',
      'start a bridge that does: iii-mcp of this release or newer',
    )
  },
  async retention({ options, store, tellsOfOthers }) {
    const { runs, calls } = await store()
    const { keepRuns, keepCalls, keepBytes } = options
    const toShare = ({ bytes }: KeptShare) => `(${toMiB(bytes)} of ${toMiB(keepBytes)} MiB)`
    const kept = tellsOfOthers
      ? `${runs.entries} of ${keepRuns} runs ${toShare(runs)}, ${calls.entries} of ${keepCalls} calls ${toShare(calls)}`
      : `at most ${keepRuns} runs, ${keepCalls} calls, and ${toMiB(keepBytes)} MiB of each`
    const full = Object.entries({ runs, calls }).flatMap(([name, { bytes }]) =>
      bytes > keepBytes * FULL ? [name] : [],
    )
    if (full.length === 0) return ok(kept)
    return warning(
      `${kept}: old ${full.join(' and ')} go before their time`,
      'set keep.bytes higher, or record.output_bytes lower',
    )
  },
  async running({ mayRun, openAddress }) {
    if (!(await mayRun())) return ok('jobs are run by the command line alone: no worker runs allows more (--allow-run)')
    const address = await openAddress()
    if (address === undefined) return ok('clients may run jobs, and no network reaches the engine by HTTP')
    return warning(
      `clients may run jobs, and the engine serves HTTP at ${address}, which a network may reach`,
      'bind iii-http to 127.0.0.1, put a proxy with authentication before it, or leave --allow-run out',
    )
  },
}

const FULL = 0.9

function judgeState(kind: StateKind): Finding {
  if (kind === 'memory') {
    return warning(
      'records, cache and locks are in the memory of the engine: they go when it stops',
      'set store_method: file_based for iii-state in the configuration of the engine, or use its redis adapter',
    )
  }
  if (kind === 'file')
    return ok('the engine writes records to files, every few seconds: a crash loses the last of them')
  if (kind === 'redis') return ok('the engine keeps records in Redis')
  return ok('there is engine state; the engine does not say where it is kept')
}

/** Runs every check by itself: one that fails, or hangs, keeps none of the others. */
export async function examine(symptoms: Symptoms): Promise<Result[]> {
  const checks: Check<Symptoms>[] = Object.entries(CHECKS).map(([name, run]) => ({
    name,
    run: name === 'state' ? run : (all) => run(all).catch(skipWithoutState),
  }))
  return await runChecks(checks, symptoms, CHECK_MS, (error) => (lacksState(error) ? NO_STATE : toFault(error).message))
}

/** Which worker is missing is said once. @throws whatever else it was */
function skipWithoutState(error: unknown): Finding {
  if (lacksState(error)) return skipped('needs engine state')
  throw error
}

const VERDICTS: readonly Result['verdict'][] = ['problem', 'warning', 'ok', 'skipped']

/** The worst of them. */
export function toVerdict(checks: readonly Result[]): Result['verdict'] {
  return VERDICTS.find((verdict) => checks.some((check) => check.verdict === verdict)) ?? 'ok'
}

function toMiB(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
