import { MCP_ON_CALL } from '@iii/protocol'
import { type AskEngine, findHttpAddress } from '@iii/sdk'
import { LOOPBACK } from '@iii/sdk/cli'
import type { z } from 'zod'
import type { doctor as contract } from '../contracts/worker.ts'
import { DUE } from '../jobs/job.ts'
import type { Options } from '../options.ts'
import type { TriggerBinding } from '../tasks/directory.ts'
import { examine, type LockLook, toVerdict } from './checks.ts'
import { allowsRun, findStateKind } from './engine-facts.ts'
import { toJobEntries } from './job-entries.ts'
import type { RecordReader } from './records.ts'
import { toFitting } from './result-limit.ts'
import type { Visibility } from './visibility.ts'

/** What doctor looks at. */
export interface DoctorParts {
  readonly engine: { readonly url: string; readonly namespace: string | undefined }
  readonly options: () => Readonly<Options>
  readonly records: RecordReader
  readonly locks: { look(name: string): Promise<LockLook['held']> }
}

/** How many of the newest runs are read. */
const MAX_READ = 5
/** How many runs that say that they are running are looked at. */
const MAX_RUNNING = 20

/** How many of the newest runs are looked through for the names of locks, and how many of those are looked at. */
const MAX_RUNS = 100
const MAX_LOCKS = 50

/** Checks everything; of runs and jobs only those that whoever asks may see. */
export async function diagnoseRecords(
  { engine, options, records, locks }: DoctorParts,
  visibility: Visibility,
  { ask, triggers }: { ask: AskEngine; triggers(): Promise<TriggerBinding[]> },
): Promise<z.output<typeof contract.response>> {
  const checks = await examine({
    options: options(),
    tellsOfOthers: visibility.viewer?.principal === undefined || visibility.viewer.runs === 'all',
    state: () => findStateKind(ask),
    store: records.look,
    async unreadableRuns() {
      const { entries } = await records.list({ limit: MAX_READ, kind: 'run', accept: visibility.shows })
      const ids = entries.flatMap((entry) => (entry.kind === 'run' ? [entry.id] : []))
      const read = await Promise.all(ids.map((id) => records.read(id)))
      return ids.filter((_, at) => read[at] === undefined)
    },
    async staleRuns() {
      const accept = visibility.shows
      const { entries } = await records.list({ limit: MAX_RUNNING, kind: 'run', status: 'running', accept })
      const running = entries.flatMap((entry) => (entry.kind === 'run' ? [entry] : []))
      const held = await Promise.all(running.map(({ lock }) => locks.look(lock.name)))
      const lost = running.filter(({ id }, at) => held[at]?.run !== id || held[at].isGone).map(({ id }) => id)
      // One that has ended meanwhile has written so before it gave its lock back.
      const read = await Promise.all(lost.map((id) => records.read(id)))
      return lost.filter((_, at) => (read[at]?.record.status ?? 'running') === 'running')
    },
    async locks() {
      const { entries } = await records.list({ limit: MAX_RUNS, kind: 'run', accept: visibility.shows })
      // Others may have jobs that this file does not tell of; what they ran names their locks.
      const ran = entries.flatMap((entry) => (entry.kind === 'run' ? [entry.lock.name] : []))
      const own = [...visibility.jobs.values()].map(({ lock }) => lock)
      const names = [...new Set(['default', ...own, ...ran])].slice(0, MAX_LOCKS)
      return await Promise.all(names.map(async (name) => ({ name, held: await locks.look(name) })))
    },
    jobs: async () => toJobEntries(visibility),
    async schedules() {
      const due = [...visibility.jobs.values()].filter(({ schedule }) => schedule !== undefined)
      const expressions = due.length === 0 ? new Set() : toExpressions(await triggers())
      const names = (isBound: boolean) =>
        due.filter(({ schedule }) => expressions.has(schedule) === isBound).map(({ name }) => name)
      return { bound: names(true), unbound: names(false) }
    },
    tellsOfCalls: async () => hasType(await ask('engine::triggers::list', { prefix: MCP_ON_CALL }), MCP_ON_CALL),
    mayRun: () => allowsRun(ask, engine.namespace),
    async openAddress() {
      const address = await findHttpAddress(ask, engine.url)
      if (address === undefined || LOOPBACK.test(address.boundTo)) return undefined
      return `${address.boundTo}:${address.port}`
    },
  })
  const told = checks.map((check) => ({ ...check, advice: [...check.advice] }))
  return toFitting({ verdict: toVerdict(checks), checks: told }, ['checks'], visibility.maxBytes)
}

/** When the clock of the engine calls us. */
function toExpressions(triggers: readonly TriggerBinding[]): ReadonlySet<unknown> {
  const ours = triggers.filter(({ type, functionId }) => type === 'cron' && functionId === DUE)
  return new Set(ours.map(({ config }) => (config as { expression?: unknown } | undefined)?.expression))
}

function hasType(answer: unknown, id: string): boolean {
  const { triggers } = (answer ?? {}) as { triggers?: { id?: unknown }[] }
  return Array.isArray(triggers) && triggers.some((type) => type?.id === id)
}
