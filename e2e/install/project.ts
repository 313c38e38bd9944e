import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { packWorkers } from '../archives.ts'
import { createTempFolder } from '../stack.ts'
import type { Programs } from '../suites/install-programs.ts'
import { until } from '../until.ts'
import { startWorkerRegistry, type WorkerRegistry } from './registry.ts'

/** Longer than the command line itself waits for a worker. */
const COMMAND_MS = 150_000
/** What the engine logs when it is complete: a file that changed before is not looked at again. */
const WATCHES = /watching config\.yaml/
const ENGINE_MS = 60_000
/** Lines of each log that are shown when something fails. */
const SHOWN_LINES = 25

/** A fresh project on the real engine: its folder, its command line, and a registry with the archives of this tree. */
export interface EngineProject extends AsyncDisposable {
  readonly engineUrl: string
  readonly mcpUrl: string
  readonly registry: WorkerRegistry
  /** Runs `iii worker WORDS` there. @returns what it said, without the frames of its progress display */
  run(...words: string[]): Promise<{ code: number | null; said: string }>
  /** `config.yaml` as it is now. */
  readConfig(): string
  /** The processes of installed workers, `PID COMMAND`. */
  listProcesses(): string[]
  /** What all of them said so far: commands, workers, engine. */
  explain(): string
}

/** Packs the workers, starts a registry that has them and an engine in an empty project; all below one temporary folder. */
export async function startProject({ iii, iiiWorker }: Programs): Promise<EngineProject> {
  const temp = await createTempFolder()
  const at = (name: string) => join(temp.path, name)
  for (const folder of ['bin', 'home', 'archives', 'project']) await mkdir(at(folder))
  await symlink(iii, at('bin/iii'))
  await symlink(iiiWorker, at('bin/iii-worker'))
  const registry = await startWorkerRegistry(at('archives'))
  await packWorkers(at('archives'), ['--base-url', registry.filesUrl])
  const env = {
    PATH: `${at('bin')}:${process.env['PATH']}`,
    HOME: at('home'),
    III_API_URL: registry.url,
    III_TELEMETRY_ENABLED: 'false',
  }
  const [bus, http] = [await findPort(), await findPort()]
  await writeFile(at('project/config.yaml'), formatConfig(bus, http))
  const start = { cwd: at('project'), env }
  // Not beside config.yaml: the engine looks at its configuration again whenever a file there changes.
  const output = openSync(at('engine.log'), 'w')
  const engine = spawn(at('bin/iii'), ['--no-update-check'], { ...start, stdio: ['ignore', output, output] })
  closeSync(output)
  const isWatching = () => WATCHES.test(readFileSync(at('engine.log'), 'utf8'))
  const commands: string[] = []
  const listProcesses = () => listRunning(join(at('home'), '.iii/workers/'))

  const project: EngineProject = {
    engineUrl: `ws://127.0.0.1:${bus}`,
    mcpUrl: `http://127.0.0.1:${http}/mcp`,
    registry,
    listProcesses,
    async run(...words) {
      const child = spawn(at('bin/iii'), ['worker', ...words], { ...start, stdio: ['ignore', 'pipe', 'pipe'] })
      const { code, said } = await runCommand(child)
      commands.push(`$ iii worker ${words.join(' ')}\n${said}\n(exit code ${code})`)
      return { code, said }
    },
    readConfig: () => readFileSync(at('project/config.yaml'), 'utf8'),
    explain: () =>
      [
        ...commands,
        `Processes:\n${listProcesses().join('\n') || 'none'}`,
        ...readLogs(at('home/.iii/logs')),
        formatLog('The engine', at('engine.log')),
      ].join('\n\n'),
    async [Symbol.asyncDispose]() {
      await stop(engine)
      // The engine ends the workers that it knows of; a second process of one is not among them.
      for (const row of listProcesses()) end(Number.parseInt(row, 10))
      await registry[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
  await until(isWatching, { what: 'the engine to be complete', deadlineMs: ENGINE_MS }).catch(async (error: Error) => {
    const message = `${error.message}\n\n${project.explain()}`
    await project[Symbol.asyncDispose]()
    throw new Error(message)
  })
  return project
}

function formatConfig(bus: number, http: number): string {
  const rows = [
    `iii-worker-manager\n    config: { host: 127.0.0.1, port: ${bus} }`,
    `iii-http\n    config: { host: 127.0.0.1, port: ${http} }`,
    'iii-state\n    config: { adapter: { name: kv, config: { store_method: in_memory } } }',
    'iii-pubsub',
  ]
  return `workers:\n${rows.map((row) => `  - name: ${row}\n`).join('')}`
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

async function runCommand(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => said.push(String(text)))
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  return { code, said: withoutFrames(said.join('')).trim() }
}

/** The progress display erases what it drew with ESC [J before it draws again. */
export function withoutFrames(said: string): string {
  const last = said.split('\u001b[J')
  const [head = ''] = said.split('⟳')
  return last.length > 1 ? `${head.trimEnd()}\n${last.at(-1)}` : said
}

/** Processes whose command line names a folder that no other run has. */
function listRunning(folder: string): string[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return rows.filter((row) => row.includes(folder)).map((row) => row.trim())
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

function readLogs(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true }).map(String)
    return files.filter((file) => file.endsWith('.log')).map((file) => formatLog(file, join(folder, file)))
  } catch {
    return []
  }
}

function formatLog(name: string, file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return `${name} said:\n${lines.slice(-SHOWN_LINES).join('\n')}`
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill()
  await gone
}
