import type { Logger } from '../log.ts'

/** Says how a connection fares: each trouble once, however often it is tried again, and when it is over. */
export interface ConnectionReport {
  /** There is no connection. */
  missing(reason: string): void
  /** The engine does not want this worker. */
  refused(reason: string): void
  /** The engine has taken this worker. */
  connected(): void
}

export function createConnectionReport(log: Logger, url: string): ConnectionReport {
  let isTold = false
  let refusal: string | undefined
  let wasConnected = false

  return {
    missing(reason) {
      if (isTold) return
      isTold = true
      const text = wasConnected ? 'the connection to the engine was lost' : 'the engine cannot be reached'
      log.warn({ url, reason }, `${text}; trying again until it answers`)
    },
    refused(reason) {
      isTold = true
      if (refusal === reason) return
      refusal = reason
      log.error({ url, reason }, 'the engine refused this worker; trying again')
    },
    connected() {
      const text = wasConnected ? 'connected to the engine again' : 'connected to the engine'
      if (isTold) log.info({ url }, text)
      else log.debug({ url }, text)
      isTold = false
      refusal = undefined
      wasConnected = true
    },
  }
}
