import { Fault } from '@iii/protocol'

const SCHEMES: Readonly<Record<string, string>> = { 'ws:': 'ws:', 'wss:': 'wss:', 'http:': 'ws:', 'https:': 'wss:' }

/**
 * Reads the address of an engine: `ws://` and `wss://` as they are, `http(s)://` as their WebSocket twins.
 *
 * @throws Fault `invalid_input` for anything else, with what an address looks like.
 *
 * @example
 * toEngineUrl('http://127.0.0.1:49134') // 'ws://127.0.0.1:49134/'
 */
export function toEngineUrl(text: string): string {
  const match = /^\s*(wss?:|https?:)\/\/\S+\s*$/i.exec(text)
  const scheme = SCHEMES[match?.[1]?.toLowerCase() ?? '']
  const parsed = scheme === undefined ? undefined : parseUrl(`${text}`.trim())
  if (parsed === undefined || scheme === undefined) {
    throw new Fault('invalid_input', `'${text}' is not the address of an engine; write it like ws://127.0.0.1:49134`)
  }
  const rest = parsed.href.slice(parsed.protocol.length)
  return `${scheme}${rest}`.replace(/#.*$/, '')
}

/** The address without what must not be logged: user, password and query. */
export function toPublicUrl(url: string): string {
  const parsed = new URL(url)
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** The names of this machine for itself. */
export const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)$/

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}
