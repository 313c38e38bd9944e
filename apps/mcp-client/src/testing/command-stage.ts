import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, readHost, registerWorker, type Worker } from '@iii/sdk'
import { createCapture } from '@iii/sdk/cli'
import { createClientCommands } from '../operator/commands.ts'
import type { ServerStatus } from '../servers/server-status.ts'

/** What a command wrote and ended with. */
export interface CommandRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** What a person types when they are asked; without it there is no terminal. */
  readonly answer?: string
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

/** A folder with a configuration file, and the commands on it. */
export interface CommandStage extends AsyncDisposable {
  readonly folder: string
  run(argv: readonly string[], options?: RunOptions): Promise<CommandRun>
  /** The same with `--json`, parsed; nothing may be said beside it. */
  json(argv: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>
  write(name: string, text: string, mode?: number): Promise<string>
  /** Puts a worker on the engine that says of its servers what it is told here. */
  serve(...statuses: readonly Partial<ServerStatus>[]): Promise<Worker>
}

/** @param url of an engine; one that nobody answers at, for those that need none */
export async function startCommandStage(servers: unknown, url = 'ws://127.0.0.1:9'): Promise<CommandStage> {
  const folder = await mkdtemp(join(tmpdir(), 'iii-mcp-client-'))
  const workers: Worker[] = []

  async function write(name: string, text: string, mode = 0o600): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, text)
    await chmod(path, mode)
    return path
  }

  async function run(argv: readonly string[], { answer, env = {}, columns }: RunOptions = {}): Promise<CommandRun> {
    const [stdout, stderr] = [createCapture(columns), createCapture()]
    const host = {
      ...readHost(),
      env,
      addresses: () => [],
      ask: answer === undefined ? undefined : () => Promise.resolve(answer),
    }
    const code = await createClientCommands(host).run({
      argv,
      env: { III_URL: url, III_CONFIG: join(folder, 'mcp.yaml'), ...env },
      version: '1.2.3',
      streams: { stdout, stderr },
    })
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }

  await write('mcp.yaml', JSON.stringify({ servers }))
  return {
    folder,
    run,
    write,
    async json(argv, options) {
      const { stdout, stderr } = await run([...argv, '--json'], options)
      if (stderr !== '') throw new Error(stderr)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    async serve(...statuses) {
      const worker = registerWorker(url, { name: 'mcp-client', log: createLog({ name: 'test', level: 'silent' }) })
      const all = statuses.map((status) => ({ ...QUIET, ...status }))
      worker.registerFunction('mcp-client::status', ({ server }: { server?: string }) => ({
        servers: server === undefined ? all : all.filter(({ name }) => name === server),
      }))
      await worker.ready()
      workers.push(worker)
      return worker
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.shutdown()))
      await rm(folder, { recursive: true })
    },
  }
}

const QUIET: ServerStatus = {
  name: 'github',
  state: 'ready',
  since: '2026-11-22T06:00:00.000Z',
  pid: 4711,
  server: undefined,
  tools: [],
  diagnostics: [],
  counts: {},
  failures: 0,
  nextTry: undefined,
  stderr: [],
}
