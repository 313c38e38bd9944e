import { DEFAULT_NAMESPACE, MAX_TIMEOUT_MS } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { type CommandLine, connectEngine, findSettings, requireUsableFile } from '@iii/sdk/cli'
import { findConflict, options } from '../options.ts'
import { createRegistryCalls } from './calls.ts'
import { createRemote, type Remote } from './remote.ts'

export const PROGRAM = 'iii-skills'

export interface RegistryConnection {
  remote: Remote
  close(): Promise<void>
}

/** A call is a few state calls of the registry one after another; each may take as long as its settings say. */
const STATE_CALLS = 3
const MIN_DEADLINE_MS = 30_000

/** What may wait while the engine is away: all that is under way at once, at its largest, as JSON. */
const QUEUE = { bytes: 64 * 1024 * 1024 }

/** @throws CommandFailure `unreachable` when no engine answers within seconds, `usage` for a malformed configuration file. */
export async function connectRegistry(said: CommandLine, name: string): Promise<RegistryConnection> {
  const deadlineMs = readDeadline(said)
  const owner = said.own.get('as')?.value
  const worker = await (typeof owner === 'string'
    ? connectAs(said, owner)
    : connectEngine(said, name, { queue: QUEUE }))
  const calls = createRegistryCalls(worker, deadlineMs, said.namespace ?? DEFAULT_NAMESPACE)
  return { remote: createRemote(calls), close: () => worker.shutdown() }
}

/** An owner as the registry lists it: with a namespace before its name where that is another one than the registry's. */
const OF_NAMESPACE = /^@([^/]+)\/(.+)$/

/** Is this worker for as long as the command lasts. */
function connectAs(said: CommandLine, owner: string): Promise<Worker> {
  const [, namespace = said.namespace, name = owner] = OF_NAMESPACE.exec(owner) ?? []
  return connectEngine({ ...said, namespace }, name, { queue: QUEUE, naming: 'exact' })
}

/** Environment and file are the registry's: they say how long the store may take, and the rest of them is none of ours. */
function readDeadline(said: CommandLine): number {
  const settings = findSettings({ options, findConflict }, said, PROGRAM)
  requireUsableFile(settings)
  return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_DEADLINE_MS, STATE_CALLS * settings.value.stateTimeoutMs))
}
