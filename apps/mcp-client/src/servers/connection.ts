import { messageOf } from '@iii/sdk'
import type { Clock } from '../clock.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import type { Counts } from '../diagnostics/counts.ts'
import { type Diagnostic, ServerFailure } from '../diagnostics/diagnostic.ts'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import type { ClientInfo } from '../session/protocol-client.ts'
import { type ServerSession, startSession } from '../session/session.ts'
import { toDiagnostic } from '../session/session-end.ts'
import type { ServerProcess } from '../transport/server-process.ts'
import { createThrottle } from '../transport/throttle.ts'
import { unlessAborted } from './cycle.ts'
import type { StderrRing } from './stderr-ring.ts'

/** A process of a server, and the conversation with it. */
export interface ServerConnection {
  readonly session: ServerSession
  readonly filter: SecretFilter
  readonly pid: number | undefined
  /** Resolves when the conversation is over, with what is said of that. */
  readonly ended: Promise<Diagnostic>
  /** Resolves when nobody of the process is left. */
  stop(): Promise<void>
}

/** What it takes to start a server. */
export interface ServerStarter {
  readonly clock: Clock
  readonly client: ClientInfo
  /** Reads its secrets; nothing of them is kept beyond the process. */
  prepare(config: ServerConfig): Promise<PreparedStart>
  /** Starts its process. @throws where this process cannot start any other */
  spawn(config: ServerConfig, variables: Readonly<Record<string, string>>): ServerProcess
}

export interface PreparedStart {
  readonly variables: Readonly<Record<string, string>>
  readonly filter: SecretFilter
}

export interface ConnectOptions extends ServerStarter {
  /** As it is at the moment. */
  config(): ServerConfig
  readonly counts: Counts
  /** Gives the start up; the process is gone when this has rejected. */
  readonly signal: AbortSignal
  onToolsChanged(): void
  readonly stderr: StderrRing
}

/** @throws ServerFailure that says why it did not start; nothing of it is left then */
export async function connectToServer(options: ConnectOptions): Promise<ServerConnection> {
  const { config, signal } = options
  const { variables, filter } = await options.prepare(config())
  signal.throwIfAborted()
  const process = spawn(options, variables)
  const release = followStderr(process, options, filter)
  const stop = () => {
    release()
    return process.stop({ graceMs: config().timeouts.stopMs })
  }
  try {
    const session = await unlessAborted(signal, converse(options, process, filter))
    const ended = session.ended.then((end): Diagnostic => {
      const [code, message] = toDiagnostic(end, 'later')
      return { code, message }
    })
    return { session, filter, pid: process.pid, ended, stop: () => end(session, stop) }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns how to let it write as much as it likes, so that nothing keeps it from ending */
function followStderr({ stderr }: ServerProcess, options: ConnectOptions, filter: SecretFilter): () => void {
  const throttle = createThrottle({
    clock: options.clock,
    pause: () => stderr.pause(),
    resume: () => stderr.resume(),
  })
  const take = options.stderr.follow(filter)
  stderr.on('error', () => undefined)
  stderr.on('data', (chunk: Buffer) => {
    throttle.count(chunk.length)
    take(chunk)
  })
  return () => {
    throttle.close()
    stderr.resume()
  }
}

function spawn({ config, ...options }: ConnectOptions, variables: Readonly<Record<string, string>>): ServerProcess {
  try {
    return options.spawn(config(), variables)
  } catch (error) {
    const reason = messageOf(error)
    throw new ServerFailure('exited_before_initialize', `No process can be started on this machine: ${reason}`)
  }
}

function converse(options: ConnectOptions, process: ServerProcess, filter: SecretFilter): Promise<ServerSession> {
  const { config } = options
  const { startMs } = config().timeouts
  return startSession({
    ...{ ...options, process, startMs, clean: filter.text },
    messageBytes: () => config().limits.messageBytes,
  })
}

async function end(session: ServerSession, stop: () => Promise<void>): Promise<void> {
  session.close()
  await stop()
}
