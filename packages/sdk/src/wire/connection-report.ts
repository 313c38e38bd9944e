import { isLoopback } from '../engine/url.ts'
import type { Logger } from '../log.ts'
import { adviseOnProblem } from './connect-problem.ts'

/** What the log says of a connection: each loss, what keeps it away then, once and however many tries follow, and when it is there again. */
export interface ConnectionReport {
  connected(): void
  /** It could not be made, or is lost. */
  lost(reason: string): void
  /** The engine does not want this worker. */
  refused(reason: string): void
}

/** @param url without what is secret in it */
export function createConnectionReport(log: Logger, url: string): ConnectionReport {
  let wasConnected = false
  let hasComplained = false
  let refusal: string | undefined
  const reasons = createNewReasons()

  return {
    connected() {
      const text = wasConnected ? 'connected to the engine again' : 'connected to the engine'
      if (hasComplained) log.info({ url }, text)
      else log.debug({ url }, text)
      wasConnected = true
      hasComplained = false
      refusal = undefined
      reasons.forget()
    },
    lost(reason) {
      if (!reasons.isNew(reason, hasComplained)) return
      const isLoss = wasConnected && !hasComplained
      hasComplained = true
      const text = isLoss ? 'the connection to the engine was lost' : 'the engine cannot be reached'
      const advice = isLoss ? '' : adviseToStart(url, reason) || adviseOnProblem(reason)
      log.warn({ url, reason }, `${text}; trying again until it answers${advice}`)
    },
    refused(reason) {
      if (refusal === reason) return
      refusal = reason
      hasComplained = true
      log.error({ url, reason }, 'the engine refused this worker; trying again')
    },
  }
}

/** An engine that starts anew is away for a moment in one way or another, which its loss has told already. */
const TRIES_IN_A_ROW = 5

/** Which reasons were not told yet: a network that was not there at first says nothing of the certificate that is wrong afterwards. */
function createNewReasons() {
  const told = new Set<string>()
  let last = ''
  let times = 0
  return {
    forget: () => told.clear(),
    /** @param isOther whether another one was told, so that this one has to last */
    isNew(reason: string, isOther: boolean): boolean {
      times = reason === last ? times + 1 : 1
      last = reason
      if (told.has(reason) || (isOther && times < TRIES_IN_A_ROW)) return false
      told.add(reason)
      return true
    },
  }
}

const USUAL_PORT = '49134'

/** Where nothing listens on this machine, somebody may be about to write a worker and have no engine yet. */
function adviseToStart(url: string, reason: string): string {
  const { hostname, port } = new URL(url)
  if (!isLoopback(hostname) || !reason.includes('ECONNREFUSED')) return ''
  const flags = port === USUAL_PORT ? '' : ` --port ${port}`
  return `. Nothing listens there: start the engine, or one for development with npx @iii/mock-engine${flags}`
}
