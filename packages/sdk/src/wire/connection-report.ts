import { isLoopback } from '../engine/url.ts'
import type { Logger } from '../log.ts'
import { adviseOnAnswer } from './connect-problem.ts'

/** What the log says of a connection: once for each loss, however many tries follow, and when it is there again. */
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

  return {
    connected() {
      const text = wasConnected ? 'connected to the engine again' : 'connected to the engine'
      if (hasComplained) log.info({ url }, text)
      else log.debug({ url }, text)
      wasConnected = true
      hasComplained = false
      refusal = undefined
    },
    lost(reason) {
      if (hasComplained) return
      hasComplained = true
      const text = wasConnected ? 'the connection to the engine was lost' : 'the engine cannot be reached'
      const advice = wasConnected ? '' : adviseToStart(url, reason) || adviseOnAnswer(reason)
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

const USUAL_PORT = '49134'

/** Where nothing listens on this machine, somebody may be about to write a worker and have no engine yet. */
function adviseToStart(url: string, reason: string): string {
  const { hostname, port } = new URL(url)
  if (!isLoopback(hostname) || !reason.includes('ECONNREFUSED')) return ''
  const flags = port === USUAL_PORT ? '' : ` --port ${port}`
  return `. Nothing listens there: start the engine, or one for development with npx @iii/mock-engine${flags}`
}
