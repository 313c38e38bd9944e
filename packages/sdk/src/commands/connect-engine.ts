import { toPublicUrl } from '../engine/url.ts'
import { createLog } from '../log.ts'
import type { CommandLine } from '../options/command-line.ts'
import { adviseOnProblem } from '../wire/connect-problem.ts'
import { registerWorker } from '../worker/register-worker.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'
import { CommandFailure, EXIT } from './exit-code.ts'

/** How long an engine may take to greet a command, at first and after a loss. */
export const READY_WITHIN_MS = 5000

/** Lists of many functions, and scopes of the state, come in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/**
 * Connects a command to the engine of its command line. Nothing is logged without `--debug`.
 *
 * @param name how the engine lists it meanwhile, with a few random characters: a name that a worker has, or is about to have, is none for
 *   a command, whatever `III_WORKER_NAME` says
 * @throws CommandFailure `unreachable` when no engine answers within seconds.
 */
export async function connectEngine(
  { url, debug, namespace }: Pick<CommandLine, 'url' | 'debug'> & Partial<Pick<CommandLine, 'namespace'>>,
  name: string,
  options: RegisterWorkerOptions = {},
  readyWithinMs = READY_WITHIN_MS,
): Promise<Worker> {
  const log = createLog({ name, level: debug ? 'debug' : 'silent' })
  const timings = { connectTimeoutMs: READY_WITHIN_MS - 1000, ...options.timings }
  const worker = registerWorker(url, {
    name,
    naming: 'own',
    namespace,
    log,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    ...options,
    timings,
  })
  try {
    await worker.ready({ timeoutMs: readyWithinMs })
    return worker
  } catch (error) {
    await worker.shutdown()
    const why = error instanceof Error ? (/\((.*)\)$/.exec(error.message)?.[1] ?? error.message) : String(error)
    throw new CommandFailure(EXIT.unreachable, explain(toPublicUrl(url), why))
  }
}

const REFUSED = /^the engine refused this worker: (.*)$/

function explain(where: string, why: string): string {
  const refusal = REFUSED.exec(why)?.[1]
  if (refusal !== undefined) return `the engine at ${where} does not take this command: ${refusal}`
  return `no engine answers at ${where} (${why}): start it, or name another with --url or III_URL${adviseOnProblem(why)}`
}
