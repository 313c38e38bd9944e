import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Where a real engine listens, on loopback. */
export interface EnginePorts {
  readonly ws: number
  readonly http: number
}

export interface EngineProgramOptions {
  /** What it keeps of logs and spans. @default no spans */
  readonly observability?: object
  /** Gets what it writes to stdout and stderr. @default nobody does */
  readonly outputFile?: string
}

const NO_SPANS = { enabled: true, exporter: 'memory', level: 'error' }

/**
 * Starts the program of a real engine on free ports, with what tests need.
 *
 * @param folder is its own and empty
 * @param adapter where its state is kept
 */
export async function startEngineProgram(
  program: string,
  folder: string,
  adapter: object,
  { observability, outputFile }: EngineProgramOptions = {},
) {
  const ports = { ws: await findPort(), http: await findPort() }
  await writeEngineConfig(folder, ports, adapter, observability)
  const child = spawnEngine(program, folder, outputFile)
  return { ...toAddress(ports), [Symbol.asyncDispose]: () => endProcess(child) }
}

export async function writeEngineConfig(
  folder: string,
  { ws, http }: EnginePorts,
  adapter: object,
  observability: object = NO_SPANS,
): Promise<void> {
  const rows = [
    ['iii-worker-manager', `{ host: 127.0.0.1, port: ${ws} }`],
    ['iii-http', `{ host: 127.0.0.1, port: ${http} }`],
    ['iii-state', JSON.stringify({ adapter })],
    ['iii-observability', JSON.stringify(observability)],
  ]
  const workers = rows.map(([name, config]) => `  - name: ${name}\n    config: ${config}\n`).join('')
  const others = ['iii-pubsub', 'iii-queue', 'iii-cron'].map((name) => `  - name: ${name}\n`).join('')
  await writeFile(join(folder, 'config.yaml'), `workers:\n${workers}${others}`)
}

export function toAddress({ ws, http }: EnginePorts) {
  return { url: `ws://127.0.0.1:${ws}`, httpUrl: `http://127.0.0.1:${http}` }
}

/** In a folder that has its `config.yaml`. A file that may not grow is an error for it, as a full disk is, and not its end. */
export function spawnEngine(program: string, folder: string, outputFile?: string): ChildProcess {
  const env = { ...process.env, III_TELEMETRY_ENABLED: 'false' }
  const words = ['-c', 'trap "" XFSZ; exec "$0" "$@"', program, '--config', 'config.yaml']
  const output = outputFile === undefined ? 'ignore' : openSync(outputFile, 'a')
  const child = spawn('/bin/sh', words, { cwd: folder, env, stdio: ['ignore', output, output] })
  if (typeof output === 'number') closeSync(output)
  return child
}

/** Asks a process to stop, also one that is frozen, and ends it when it does not. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGCONT')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await gone
  clearTimeout(timer)
}

/** A free one on loopback. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
