import type { Worker } from '@iii/sdk'

const ASK_DEADLINE_MS = 5000

/** Where an engine answers HTTP, as its configuration says; undefined when it does not say so. */
export async function askHttpUrl(control: Worker, engineUrl: string): Promise<string | undefined> {
  const settings = await control
    .trigger<{ value?: { host?: unknown; port?: unknown } }>({
      function_id: 'configuration::get',
      payload: { id: 'iii-http' },
      timeoutMs: ASK_DEADLINE_MS,
    })
    .catch(() => undefined)
  return toHttpUrl(engineUrl, settings?.value)
}

/**
 * Turns the settings of an engine's HTTP side into a URL that can be called from here. An engine that listens on every
 * address, or on its own loopback, is called by the name under which we reach its bus.
 */
export function toHttpUrl(
  engineUrl: string,
  settings: { host?: unknown; port?: unknown } | undefined,
): string | undefined {
  const { hostname, protocol } = new URL(engineUrl)
  const { host, port } = settings ?? {}
  if (typeof port !== 'number') return undefined
  const anyAddress = typeof host !== 'string' || ['', '0.0.0.0', '::', '127.0.0.1', 'localhost', '::1'].includes(host)
  const name = anyAddress ? hostname : host.includes(':') ? `[${host}]` : host
  return `${protocol === 'wss:' ? 'https' : 'http'}://${name}:${port}`
}
