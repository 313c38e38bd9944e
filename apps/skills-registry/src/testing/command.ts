import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { createCapture } from '@iii/sdk/cli'
import { commands } from '../operator/run.ts'
import { type MemoryRegistry, serveMemoryRegistry } from './memory-registry.ts'

/** What a command wrote and ended with. */
export interface CommandRun {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command line in this process. @param columns makes both streams terminals */
export async function runCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  columns?: number,
): Promise<CommandRun> {
  const [stdout, stderr] = [createCapture(columns), createCapture(columns)]
  const code = await commands.run({ argv, env, version: '1.2.3', streams: { stdout, stderr } })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** What a stage needs of an engine. Tests pass `startMockEngine`, since only they may depend on its package. */
interface Engine {
  url: string
  close(): Promise<void>
}

/** An engine with a registry in memory on it, and the commands of an operator. */
export interface RegistryStage extends AsyncDisposable {
  engine: Engine
  /** The connection of the registry. */
  worker: Worker
  run(...argv: string[]): Promise<CommandRun>
  /** The same on a terminal of so many columns. */
  runOnTerminal(columns: number, ...argv: string[]): Promise<CommandRun>
}

export async function startRegistryStage(
  startEngine: () => Promise<Engine>,
  registry: MemoryRegistry,
): Promise<RegistryStage> {
  const engine = await startEngine()
  const worker = registerWorker(engine.url, { name: 'skills', log: createLog({ name: 'skills', level: 'silent' }) })
  await serveMemoryRegistry(worker, registry)
  const env = { III_URL: engine.url }
  return {
    engine,
    worker,
    run: (...argv) => runCommandLine(argv, env),
    runOnTerminal: (columns, ...argv) => runCommandLine(argv, env, columns),
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
      await engine.close()
    },
  }
}
