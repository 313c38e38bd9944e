import type { RouteReach } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import { pause } from '../pause.ts'
import type { Worker } from '../worker/worker.ts'

export interface ReachTimings {
  /** So long nothing is said: an engine that has just been told of a route may take a moment. @default 1_000 */
  quietMs: number
  /** The longest pause between two tries; the first is 50 ms, and each twice the one before. @default 5_000 */
  longestPauseMs: number
}

const REACH_TIMINGS: ReachTimings = { quietMs: 1_000, longestPauseMs: 5_000 }
const FIRST_PAUSE_MS = 50

/**
 * Resolves when requests to the engine's HTTP port come to this worker, by all of its routes: it has asked itself. Says what keeps them away
 * meanwhile, once for each thing. Where that cannot be tried it says so and resolves; so it does where another process serves.
 */
export async function untilReached(
  worker: Pick<Worker, 'reach' | 'state' | 'ownership'>,
  log: Logger,
  { quietMs, longestPauseMs }: ReachTimings = REACH_TIMINGS,
): Promise<void> {
  const quietUntil = performance.now() + quietMs
  const never = new AbortController().signal
  const remark = createRemark(log)
  for (let waitMs = FIRST_PAUSE_MS; worker.state !== 'closed'; waitMs = Math.min(2 * waitMs, longestPauseMs)) {
    if (worker.ownership.state === 'standby') return
    // An engine that does not answer is another matter, and told elsewhere.
    const found = await worker.reach().catch(() => undefined)
    const isBlocked = found === undefined || found.kind === 'blocked'
    if (found !== undefined && !(isBlocked && performance.now() < quietUntil)) remark(found)
    if (!isBlocked) return
    await pause(waitMs, never)
  }
}

/** Says how it is, when it is not as it was said before. */
function createRemark(log: Logger): (found: RouteReach) => void {
  let told: string | undefined
  return (found) => {
    if (found.kind === 'reached') {
      if (told !== undefined) log.info('requests over HTTP come to this worker now')
    } else if (found.kind === 'unknown') {
      log.warn(`whether requests over HTTP come to this worker could not be checked: ${found.why}. ${found.advice}`)
    } else if (found.why !== told) {
      told = found.why
      log.warn(`no request over HTTP comes to this worker: ${found.why}. ${found.advice}; this worker goes on trying`)
    }
  }
}
