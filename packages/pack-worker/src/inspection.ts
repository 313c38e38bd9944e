import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startMockEngine } from '@iii/mock-engine'
import { INSTANCE_KEY } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'

/** What a worker puts on an engine, as the engine tells it. */
export interface WorkerInterface {
  readonly functions: readonly FunctionInterface[]
  readonly triggers: readonly TriggerInterface[]
}

/** A function for the registry. */
export interface FunctionInterface {
  name: string
  description: string
  request_schema?: unknown
  response_schema?: unknown
  metadata: Record<string, unknown>
}

/** A trigger type for the registry. */
export interface TriggerInterface {
  name: string
  description: string
  invocation_schema?: unknown
  return_schema?: unknown
  metadata: Record<string, unknown>
}

const READY_MS = 20_000
const STOP_MS = 5_000

/** Ids that differ from one process to the next are no part of what a worker offers. */
const OF_ONE_PROCESS = [
  /^iii::instance::/,
  /^mcp-cancel::/,
  /^runs::holder-/,
  /::[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:::|$)/,
]

export type Environment = Readonly<Record<string, string | undefined>>

/** What a program tells of itself. */
export interface ProgramInspection {
  readonly offered: WorkerInterface
  /** The platforms that it runs on, as the registry calls them. */
  readonly targets: readonly string[]
}

/** @param script absolute path @throws when it does not get ready */
export async function readProgram(name: string, script: string, given: Environment): Promise<ProgramInspection> {
  // What the Node that packs was told is for the project, such as how yarn finds packages; an engine says nothing of it.
  const { NODE_OPTIONS: _, ...env } = given
  const targets = readTargets(name, script, env)
  return { offered: await readInterface(name, script, env), targets }
}

function readTargets(name: string, script: string, env: Environment): readonly string[] {
  const options = { encoding: 'utf8', env, timeout: READY_MS } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--manifest'], options)
  // One that was ended at its deadline has no status: it went on, as what takes no flags does.
  if (status !== null && status !== 0) throw new Error(explainFailure(name, 'does not start', stderr.split('\n')))
  const targets = status === 0 ? parseTargets(stdout) : undefined
  if (targets !== undefined) return targets
  throw new Error(
    `${name} does not print its manifest when it is started with --manifest: the source that starts it (--main FILE) has to call runWorker of @iii/sdk. With --no-start it is packed as it is`,
  )
}

function parseTargets(stdout: string): readonly string[] | undefined {
  try {
    const { supported_targets: targets } = JSON.parse(stdout) as { supported_targets?: unknown }
    return Array.isArray(targets) ? targets.map(String) : undefined
  } catch {
    return undefined
  }
}

/** Runs a worker on an engine of its own, as the engine would start it, and looks at what it registers. */
async function readInterface(name: string, script: string, env: Environment): Promise<WorkerInterface> {
  await using engine = await startMockEngine({ port: 0, httpPort: 0 })
  await using control = registerWorker(engine.url, { name: 'pack-worker', log: createLog({ name, level: 'silent' }) })
  const before = await listIds(control)
  const folder = await mkdtemp(join(tmpdir(), 'iii-pack-worker-'))
  const variables = { III_URL: engine.url, III_ENGINE_URL: engine.url, III_WORKER_NAME: name }
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    env: { ...env, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await waitForReady(name, child)
    const functions = await listFunctions(control, name)
    const types = (await listIds(control)).filter((id) => !before.includes(id))
    return { functions, triggers: await Promise.all(types.map((id) => readTrigger(control, id))) }
  } finally {
    await stop(child)
    await rm(folder, { recursive: true })
  }
}

function waitForReady(name: string, child: ChildProcess & { stderr: NonNullable<ChildProcess['stderr']> }) {
  const said: string[] = []
  return new Promise<void>((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      reject(new Error(explainFailure(name, why, said)))
    }
    const timer = setTimeout(() => fail(`did not get ready within ${READY_MS / 1000} seconds`), READY_MS)
    child.once('error', (error) => fail(error.message))
    // After all that it said was read.
    child.once('close', () => fail('ended by itself'))
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line)
      if (!line.includes('"msg":"ready"')) return
      clearTimeout(timer)
      resolve()
    })
  })
}

const SHOWN_LINES = 15

/** What a worker does as one file is not always what its sources did. */
function explainFailure(name: string, why: string, said: readonly string[]): string {
  const text = said.slice(-SHOWN_LINES).join('\n').trim()
  const advice = /ENOENT/.test(text)
    ? `\nA file is packed when a source reads it in just this way: readFileSync(new URL('../a.md', import.meta.url), 'utf8')`
    : ''
  return `${name} ${why} where nothing of its project can be found:\n${text}${advice}`
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  // One that never rests does not even hear it.
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await gone
  clearTimeout(timer)
}

async function listFunctions(control: Worker, worker: string): Promise<FunctionInterface[]> {
  const { functions } = await control.trigger<{ functions: { function_id: string; worker_name?: string }[] }>({
    function_id: 'engine::functions::list',
    payload: { include_internal: true },
  })
  const ids = functions
    .filter(({ worker_name }) => worker_name === worker)
    .map(({ function_id }) => function_id)
    .filter((id) => !OF_ONE_PROCESS.some((pattern) => pattern.test(id)))
  return await Promise.all(ids.sort().map((id) => readFunction(control, id)))
}

async function readFunction(control: Worker, id: string): Promise<FunctionInterface> {
  const info = await control.trigger<Partial<FunctionInterface>>({
    function_id: 'engine::functions::info',
    payload: { function_id: id },
  })
  const { description = '', request_schema, response_schema } = info
  const metadata = Object.fromEntries(
    Object.entries(info.metadata ?? {}).filter(([key, value]) => !isOfOneProcess(key, value)),
  )
  const shown = metadata['registry_name'] ?? metadata['name']
  const name = typeof shown === 'string' ? shown : id
  return { name, description, request_schema, response_schema, metadata }
}

function isOfOneProcess(key: string, value: unknown): boolean {
  return key === INSTANCE_KEY || (typeof value === 'string' && OF_ONE_PROCESS.some((pattern) => pattern.test(value)))
}

/** The trigger types of the engine. */
async function listIds(control: Worker): Promise<string[]> {
  const { triggers } = await control.trigger<{ triggers: { id: string }[] }>({
    function_id: 'engine::triggers::list',
    payload: { include_internal: false },
  })
  return triggers.map(({ id }) => id).sort()
}

async function readTrigger(control: Worker, id: string): Promise<TriggerInterface> {
  const info = await control.trigger<Record<string, unknown>>({
    function_id: 'engine::triggers::info',
    payload: { id },
  })
  return {
    name: id,
    description: String(info['description'] ?? ''),
    invocation_schema: info['request_schema'],
    return_schema: info['response_schema'],
    metadata: { configuration_schema: info['configuration_schema'] },
  }
}
