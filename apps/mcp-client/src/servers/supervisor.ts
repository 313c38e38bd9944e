import { toFault } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { Clock } from '../clock.ts'
import { type Diagnostic, ServerFailure } from '../diagnostics/diagnostic.ts'
import type { Notices } from '../diagnostics/notices.ts'
import type { Backoff } from './backoff.ts'
import type { Condition } from './condition.ts'
import type { ServerConnection } from './connection.ts'
import { type Cycle, pauseOnClock, unlessAborted, untilEnded } from './cycle.ts'
import type { ServerReadiness } from './readiness.ts'
import type { ServerState } from './server-status.ts'
import type { StartGate } from './start-gate.ts'

/** What the life of a server is made of. */
export interface SupervisorParts {
  readonly clock: Clock
  readonly log: Logger
  readonly gate: StartGate
  readonly condition: Condition
  readonly readiness: ServerReadiness
  readonly backoff: Backoff
  readonly cycle: Cycle
  /** Of what keeps it from running at all. */
  readonly obstacles: Notices
  readonly isClosed: () => boolean
  /** Why it is not to run; undefined when it is. */
  findObstacle(): Promise<Obstacle | undefined>
  /** @throws ServerFailure that says why there is no connection; nothing of it is left then */
  start(signal: AbortSignal): Promise<ServerConnection>
  /** It is there: what it offers is looked at. */
  onReady(connection: ServerConnection): Promise<void>
  /** It is not there any more, and may be again soon. */
  onAway(): void
  /** It is not to run. */
  onObstacle(): void
}

export interface Obstacle {
  readonly state: ServerState
  readonly diagnostic?: Diagnostic | undefined
}

/** Keeps a server running as long as that is wanted. One process at a time: the next one starts when nobody of the last one is left. */
export async function supervise(parts: SupervisorParts): Promise<void> {
  const { condition, readiness, cycle } = parts
  while (!parts.isClosed()) {
    const signal = cycle.begin()
    const obstacle = await parts.findObstacle()
    if (signal.aborted) continue
    parts.obstacles.tell(obstacle?.diagnostic === undefined ? [] : [obstacle.diagnostic])
    if (obstacle === undefined) {
      await run(parts, signal)
      continue
    }
    readiness.giveUp()
    condition.set(obstacle.state, obstacle)
    parts.onObstacle()
    await untilEnded(signal)
  }
  readiness.giveUp()
  condition.set('stopped')
}

async function run(parts: SupervisorParts, signal: AbortSignal): Promise<void> {
  const { condition, readiness, backoff, log } = parts
  const { diagnostic } = condition
  condition.set('connecting', { diagnostic })
  readiness.expect()
  const connection = await start(parts, signal)
  if (connection === undefined) return
  backoff.onReady()
  condition.set('ready')
  readiness.arrive(connection)
  const { pid, session } = connection
  const { name, protocolVersion } = session.info
  log.info({ server_pid: pid, calls_itself: name, revision: protocolVersion }, 'the server is ready')
  const end = await Promise.race([connection.ended, untilEnded(signal)])
  readiness.expect()
  condition.set('connecting', { diagnostic: end })
  parts.onAway()
  await connection.stop()
  if (end !== undefined) await fail(parts, end, signal)
}

/** @returns nothing when it failed, and has been left alone for a while, or is not wanted any more */
async function start(parts: SupervisorParts, signal: AbortSignal): Promise<ServerConnection | undefined> {
  const leave = await parts.gate.enter(signal)
  if (leave === undefined) return undefined
  let failure: Diagnostic
  try {
    const connection = await parts.start(signal)
    await welcome(parts, connection, signal)
    return connection
  } catch (error) {
    if (signal.aborted) return undefined
    failure = toDiagnostic(error)
  } finally {
    leave()
  }
  await fail(parts, failure, signal)
  return undefined
}

/** Nobody else knows of the connection yet. */
async function welcome(parts: SupervisorParts, connection: ServerConnection, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(signal, parts.onReady(connection))
  } catch (error) {
    parts.onAway()
    await connection.stop()
    throw error
  }
}

async function fail(parts: SupervisorParts, diagnostic: Diagnostic, signal: AbortSignal): Promise<void> {
  const { clock, condition, readiness, backoff, log } = parts
  const ms = backoff.fail()
  const nextTry = new Date(Date.now() + ms).toISOString()
  condition.set(backoff.isParked ? 'parked' : 'backoff', { diagnostic, nextTry })
  readiness.giveUp()
  const { failures } = backoff
  log.warn({ code: diagnostic.code, reason: diagnostic.message, failures, nextTry }, 'the server does not run')
  await pauseOnClock(clock, ms, signal)
}

function toDiagnostic(error: unknown): Diagnostic {
  if (error instanceof ServerFailure) return error.diagnostic
  return { code: 'exited_before_initialize', message: toFault(error).message }
}
