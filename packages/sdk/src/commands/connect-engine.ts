import { toPublicUrl } from '../engine-url.ts'
import { createLog } from '../log.ts'
import type { CommandLine } from '../run/command-line.ts'
import { registerWorker } from '../worker/register-worker.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'
import { CommandFailure, EXIT } from './exit-code.ts'

/** How long an engine may take to greet a command, at first and after a loss. */
export const READY_WITHIN_MS = 5000

/**
 * Connects a command to the engine of its command line. Nothing is logged without `--debug`.
 *
 * @param name of the worker that the engine lists meanwhile, unless the command line names another
 * @throws CommandFailure `unreachable` when no engine answers within seconds.
 */
export async function connectEngine(
  { url, workerName, debug }: Pick<CommandLine, 'url' | 'workerName' | 'debug'>,
  name: string,
  options: RegisterWorkerOptions = {},
): Promise<Worker> {
  const log = createLog({ name, level: debug ? 'debug' : 'silent' })
  const timings = { connectTimeoutMs: READY_WITHIN_MS - 1000, ...options.timings }
  const worker = registerWorker(url, { name: workerName ?? name, log, ...options, timings })
  try {
    await worker.ready({ timeoutMs: READY_WITHIN_MS })
    return worker
  } catch (error) {
    await worker.shutdown()
    const why = error instanceof Error ? (/\((.*)\)$/.exec(error.message)?.[1] ?? error.message) : String(error)
    const text = `no engine answers at ${toPublicUrl(url)} (${why}): start it, or name another with --url or III_URL`
    throw new CommandFailure(EXIT.unreachable, text)
  }
}
