import { findHttpAddress, findOpenAddresses, type Logger, type Worker } from '@iii/sdk'
import { isUndecided, UNDECIDED } from '../auth/decision.ts'
import type { FrontDoorRules } from './host-and-origin.ts'

/** Says in the log that others than this machine may ask while nobody has said who of them may. */
export interface NetworkWatch {
  /** Looks again: the settings may have changed. */
  look(): void
  close(): void
}

export interface NetworkWatchOptions {
  readonly worker: Pick<Worker, 'trigger' | 'url' | 'ready'>
  readonly rules: () => FrontDoorRules
  /** Of this machine on networks. */
  readonly addresses: () => readonly string[]
  readonly log: Logger
}

const HOUR_MS = 3_600_000
const ASK_MS = 2_000
const REACHED =
  'networks reach the HTTP port, and nobody is asked who they are: whoever is there calls every tool that clients see. Give the configuration file an auth block, or set host: 127.0.0.1 for iii-http'

/** Looks now, each hour, and when it is told to. */
export function createNetworkWatch({ worker, rules, addresses, log }: NetworkWatchOptions): NetworkWatch {
  let isOver = false
  let hasWarned = false
  let wasUndecided = false
  const timer = setInterval(look, HOUR_MS).unref()

  /** Warns once of a port that networks reach. */
  async function knock(): Promise<void> {
    await worker.ready()
    const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: ASK_MS })
    const http = await findHttpAddress(ask, worker.url)
    const open = http === undefined ? [] : await findOpenAddresses(addresses(), http.port)
    if (isOver || hasWarned || open.length === 0 || rules().auth !== undefined) return
    hasWarned = true
    log.warn({ addresses: open, port: http?.port }, REACHED)
  }

  function look(): void {
    const isRefusing = isUndecided(rules())
    if (isRefusing && !wasUndecided) log.error(UNDECIDED)
    wasUndecided = isRefusing
    if (rules().auth === undefined && !isRefusing && !hasWarned) knock().catch(() => undefined)
  }

  look()
  return {
    look,
    close() {
      isOver = true
      clearInterval(timer)
    },
  }
}
