import { z } from 'zod'
import type { Ask } from './ownership/ownership.ts'

/** Where an engine answers HTTP. */
export interface HttpAddress {
  /** What a client on this machine connects to, without the brackets of IPv6. */
  host: string
  port: number
  /** What the engine listens on, as its settings say: `0.0.0.0` for every address of its machine. */
  boundTo: string
}

const DEFAULT_HOST = '0.0.0.0'
const DEFAULT_PORT = 3111
/** Hosts that say where a server listens, and not where it is reached from elsewhere. */
const OWN_HOSTS = new Set(['0.0.0.0', '::', '[::]', 'localhost', '127.0.0.1', '::1'])

const HttpSettings = z.object({ value: z.object({ host: z.string().optional(), port: z.number().optional() }) })

/** Asks the engine for the settings of its HTTP port. @returns undefined where it has none, or does not say */
export async function findHttpAddress(ask: Ask, engineUrl: string): Promise<HttpAddress | undefined> {
  const answer = await ask('configuration::get', { id: 'iii-http' }).catch(() => undefined)
  const settings = HttpSettings.safeParse(answer).data?.value
  if (settings === undefined) return undefined
  const { host: boundTo = DEFAULT_HOST, port = DEFAULT_PORT } = settings
  const host = OWN_HOSTS.has(boundTo) ? new URL(engineUrl).hostname.replace(/^\[|\]$/g, '') : boundTo
  return { host, port, boundTo }
}
