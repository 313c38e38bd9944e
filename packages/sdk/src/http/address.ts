import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'
import { InvocationError } from '../engine/invocation-error.ts'

/** Where an engine answers HTTP. */
export interface HttpAddress {
  /** What a client on this machine connects to, without the brackets of IPv6. */
  host: string
  port: number
  /** What the engine listens on, as its settings say: `0.0.0.0` for every address of its machine. */
  boundTo: string
}

/**
 * The beginning of a URL.
 *
 * @example
 * formatHttpAddress({ host: '::1', port: 3111 }) // 'http://[::1]:3111'
 */
export function formatHttpAddress({ host, port }: Pick<HttpAddress, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const DEFAULT_HOST = '0.0.0.0'
const DEFAULT_PORT = 3111
/** Hosts that say where a server listens, and not where it is reached from elsewhere. */
const OWN_HOSTS = new Set(['0.0.0.0', '::', '[::]', 'localhost', '127.0.0.1', '::1'])

const HttpSettings = z.object({ value: z.object({ host: z.string().optional(), port: z.number().optional() }) })

/** Asks the engine for the settings of its HTTP port. @returns undefined where it has none, or does not say */
export async function findHttpAddress(ask: AskEngine, engineUrl: string): Promise<HttpAddress | undefined> {
  const found = await lookUpHttpAddress(ask, engineUrl).catch(() => undefined)
  return typeof found === 'object' ? found : undefined
}

/**
 * The same, with why there is no address. `none`: the engine has no HTTP port. `untold`: it does not say.
 *
 * @throws InvocationError when the engine does not answer
 */
export async function lookUpHttpAddress(ask: AskEngine, engineUrl: string): Promise<HttpAddress | 'none' | 'untold'> {
  const answer = await ask('configuration::get', { id: 'iii-http' }).catch(toReason)
  if (answer === 'none' || answer === 'untold') return answer
  const settings = HttpSettings.safeParse(answer).data?.value
  if (settings === undefined) return 'untold'
  const { host: boundTo = DEFAULT_HOST, port = DEFAULT_PORT } = settings
  const host = OWN_HOSTS.has(boundTo) ? new URL(engineUrl).hostname.replace(/^\[|\]$/g, '') : boundTo
  return { host, port, boundTo }
}

/** What this side of the wire says, and not the engine. */
const NO_ANSWER = new Set(['TIMEOUT', 'ABORTED', 'connection_lost', 'closed'])

function toReason(error: unknown): 'none' | 'untold' {
  if (!(error instanceof InvocationError)) return 'untold'
  if (NO_ANSWER.has(error.code)) throw error
  return error.code === 'NOT_FOUND' ? 'none' : 'untold'
}
