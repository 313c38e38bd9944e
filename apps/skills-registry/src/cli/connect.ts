import { type CommandLine, createLog, registerWorker, startSettings, toPublicUrl } from '@iii/sdk'
import { findConflict, options } from '../options.ts'
import { createCalls, READY_WITHIN_MS } from './calls.ts'
import { CommandFailure, EXIT } from './exit-code.ts'
import { createRemote, type Remote } from './remote.ts'

export interface Connection {
  remote: Remote
  close(): Promise<void>
}

/** A call is a few state calls of the registry one after another; each may take as long as its settings say. */
const STATE_CALLS = 3
const MIN_DEADLINE_MS = 30_000
const MAX_DEADLINE_MS = 2_147_483_647

/** What may wait while the engine is away: all that is under way at once, at its largest, as JSON. */
const QUEUE = { bytes: 64 * 1024 * 1024 }

/** @throws CommandFailure `unreachable` when no engine answers within seconds, `usage` for a malformed configuration file. */
export async function connect(said: CommandLine): Promise<Connection> {
  const log = createLog({ name: 'iii-skills', level: said.debug ? 'debug' : 'silent' })
  const deadlineMs = readDeadline(said)
  const timings = { connectTimeoutMs: READY_WITHIN_MS - 1000 }
  const worker = registerWorker(said.url, { name: said.workerName ?? 'iii-skills', log, queue: QUEUE, timings })
  try {
    await worker.ready({ timeoutMs: READY_WITHIN_MS })
  } catch (error) {
    await worker.shutdown()
    const why = error instanceof Error ? (/\((.*)\)$/.exec(error.message)?.[1] ?? error.message) : String(error)
    const text = `no engine answers at ${toPublicUrl(said.url)} (${why}): start it, or name another with --url or III_URL`
    throw new CommandFailure(EXIT.unreachable, text)
  }
  return { remote: createRemote(createCalls(worker, deadlineMs)), close: () => worker.shutdown() }
}

/** The file is the registry's: it says how long the store may take, and the rest of it is none of ours. */
function readDeadline({ config: file, own, debug }: CommandLine): number {
  const log = createLog({ name: 'iii-skills', level: debug ? 'debug' : 'silent' })
  const settings = startSettings({ options, findConflict }, { fixed: own, file }, log)
  settings.stop()
  if (settings.locked !== undefined) {
    throw new CommandFailure(EXIT.usage, `${settings.locked.file}: ${settings.locked.reason}`)
  }
  return Math.min(MAX_DEADLINE_MS, Math.max(MIN_DEADLINE_MS, STATE_CALLS * settings.value.stateTimeoutMs))
}
