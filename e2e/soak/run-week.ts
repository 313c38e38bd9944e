import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { findEngine } from '../bench/engine-address.ts'
import { makePrograms } from '../bundle.ts'
import { isAlive } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { buildInstalled } from '../installed.ts'
import { readPids } from '../mcp-servers/fixture.ts'
import { STACK_SOURCES } from '../programs.ts'
import { reserveEngine } from '../reservation.ts'
import { createTempFolder } from '../stack.ts'
import { MissingPythonError, preparePython } from '../suites/python-environment.ts'
import { until } from '../until.ts'
import { UsageError } from '../usage.ts'
import { startChurn } from './churn.ts'
import { type SoakEngine, startEmbeddedEngine, startOwnEngine } from './engine.ts'
import { FAULTS } from './faults/index.ts'
import { readResidentMiB } from './gauges.ts'
import { CALM, createLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { findMemoryGrowth, type MemorySample } from './memory.ts'
import { createOperations } from './operations/index.ts'
import { createRandom } from './random.ts'
import type { SoakOptions } from './soak-options.ts'
import { type SoakStage, startSoakStage } from './stage.ts'
import { endure } from './week.ts'
import { findWeekProblems, formatOutcome } from './weekly-report.ts'

const PROGRAMS = [
  ...STACK_SOURCES,
  'e2e/soak/bare-worker.ts',
  'e2e/installed-lifeline.ts',
  'e2e/official-worker/main.ts',
  'e2e/soak/clock.ts',
]
const SAMPLE_EVERY_MS = 15_000
const LEFT_MS = 10_000

/** @returns how many problems there were */
export async function runWeek(options: SoakOptions): Promise<number> {
  const { use, run } = createCleanup()
  try {
    await makePrograms(PROGRAMS)
    await buildInstalled(['bridge', 'skills', 'runs', 'mcpClient'])
    const { path: folder } = use(await createTempFolder())
    const python = await findPython()
    const engine = use(await openEngine(options, join(folder, 'engine')))
    const stage = await startSoakStage({ engine, folder, python })
    const { problems, pids } = await soak(stage, options)
    return problems(await findLeft(stage, folder, pids))
  } finally {
    await run()
  }
}

/** Ends the stage too: what is there afterwards was left. */
async function soak(stage: SoakStage, options: SoakOptions) {
  await using _ = stage
  const { rate, every, minutes, seed, only } = options
  const random = createRandom(seed)
  const ledger = createLedger()
  const absent = stage.members.has('python worker') ? [] : ['python worker']
  const isCalm = () => ledger.current() === CALM
  const operations = createOperations(stage, { absent, isCalm })
  const faults = FAULTS.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
  const possible = faults.filter((fault) => tellLack(fault.name, fault.lacks?.(stage)))
  say(
    `seed ${seed}, ${rate} calls a second, ${possible.length} faults, one every ${every} s, for ${minutes} minutes on ${stage.engine.name}`,
  )
  const upSince = (name: string) => stage.members.get(name)?.upSince
  const load = startLoad({ rate, random, ledger, upSince, clients: stage.clients, operations: operations.all })
  const samples: MemorySample[] = []
  const pids = new Set<number>()
  const sampling = setInterval(() => takeSamples(stage, samples, pids), SAMPLE_EVERY_MS)
  const churn = startChurn(stage, random, isCalm)
  const scene = { stage, random, say, kept: operations.kept, readAll: () => operations.readAll(stage) }
  const endsAt = performance.now() + minutes * 60_000
  const struck = await endure({
    scene,
    ledger,
    endsAt,
    faults: possible,
    operations: operations.all,
    everyMs: every * 1000,
  })
  clearInterval(sampling)
  await churn.stop()
  await load.stop()
  const lost = await operations.findLost(stage)
  return {
    pids,
    problems(left: readonly string[]) {
      const title = `${minutes} minutes on ${stage.engine.name}, ${rate} calls a second, seed ${seed}`
      const growth = findMemoryGrowth(samples)
      const outcome = { title, pages: ledger.pages(), struck, growth, lost, left, heldBack: load.heldBack() }
      say(formatOutcome(outcome))
      for (const [text, times] of ledger.complaints()) say(`${times} × ${text}`)
      const found = findWeekProblems(outcome)
      say(found.length === 0 ? 'Nothing was lost, wrong or hung, and nothing is left.' : found.join('\n'))
      return found.length
    },
  }
}

function tellLack(name: string, lack: string | undefined): boolean {
  if (lack !== undefined) say(`without '${name}': ${lack}`)
  return lack === undefined
}

function takeSamples({ members, engine }: SoakStage, samples: MemorySample[], pids: Set<number>): void {
  const at = performance.now()
  const all = [...members.values()].map(({ name, pid }) => ({ name, pid }))
  for (const { name, pid } of [...all, { name: 'engine', pid: engine.power?.pid() ?? 0 }]) {
    if (pid === 0 || !isAlive(pid)) continue
    pids.add(pid)
    samples.push({ name, pid, at, residentMiB: readResidentMiB(pid) })
  }
}

/** Processes that should have ended, and files that should be gone. */
async function findLeft(stage: SoakStage, folder: string, pids: ReadonlySet<number>): Promise<string[]> {
  const ours = new Set([...pids, ...readPids(folder)])
  ours.delete(stage.engine.power?.pid() ?? 0)
  ours.delete(process.pid)
  const alive = () => [...ours].filter((pid) => isAlive(pid) && isIn(pid, folder))
  await until(() => alive().length === 0, { what: 'all processes to end', deadlineMs: LEFT_MS }).catch(() => undefined)
  const files = await readdir(stage.files.temporary)
  return [...alive().map(describe), ...files.map((file) => `file ${file}`)]
}

/** The number of a process that has ended may be that of a stranger. */
function isIn(pid: number, folder: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)} ${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(folder)
  } catch {
    return false
  }
}

function describe(pid: number): string {
  const file = `/proc/${pid}/cmdline`
  return `process ${pid} ${existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ').slice(0, 200) : ''}`
}

async function openEngine({ engine, http, version }: SoakOptions, folder: string): Promise<SoakEngine> {
  if (engine === undefined) return await startEmbeddedEngine(version, folder)
  if (!engine.includes('://')) {
    if (existsSync(engine)) return await startOwnEngine(engine, folder)
    throw new UsageError(`--engine has to be a URL or the program of an engine, not '${engine}'`)
  }
  const address = await findEngine(engine, http)
  const reservation = await reserveEngine(address)
  return { ...address, name: engine, power: undefined, [Symbol.asyncDispose]: () => reservation[Symbol.asyncDispose]() }
}

async function findPython(): Promise<string | undefined> {
  return await preparePython({ say }).catch((error: unknown) => {
    if (!(error instanceof MissingPythonError)) throw error
    say(`without a worker in Python: ${error.message}`)
    return undefined
  })
}

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)
}
