import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ChannelSide } from '../channels/channels.ts'

/** What a request is answered with that is no upgrade: it cannot be read as one, there is no such place, or its method is another. */
export const REFUSAL = { unreadable: 400, unknown: 404, method: 405 } as const

/** Why a request is no upgrade, and its answer. */
export interface UpgradeRefusal {
  readonly status: number
  readonly text?: string
  /** The methods there are instead. */
  readonly allow?: string
}

/** One side of a channel, as an upgrade names it. */
export interface ChannelAddress {
  readonly id: string
  readonly key: string
  readonly side: ChannelSide
}

/** What an upgrade asks for: the bus (`/`), a place for telemetry (`/otel`) or a side of a channel (`/ws/channels/ID`). */
export function readUpgrade(request: IncomingMessage): '/' | '/otel' | ChannelAddress | UpgradeRefusal {
  const { url = '/' } = request
  const [path = '/'] = url.split('?', 1)
  const id = /^\/ws\/channels\/([^/]+)$/.exec(path)?.[1]
  if (path !== '/' && path !== '/otel' && id === undefined) return { status: REFUSAL.unknown }
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: REFUSAL.method, allow: 'GET,HEAD' }
  const target = id === undefined ? (path as '/' | '/otel') : readChannel(id, url.slice(path.length))
  return typeof target === 'object' && 'status' in target ? target : (refuseHead(request) ?? target)
}

/** @param query - with its question mark. */
function readChannel(id: string, query: string): ChannelAddress | UpgradeRefusal {
  const said = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    if (said.has(name) && (name === 'key' || name === 'dir')) return unreadable(`duplicate field \`${name}\``)
    if (name === 'dir' && !isSide(value))
      return unreadable(`dir: unknown variant \`${value}\`, expected \`read\` or \`write\``)
    said.set(name, value)
  }
  const [key, side] = [said.get('key'), said.get('dir')]
  if (key === undefined) return unreadable('missing field `key`')
  return isSide(side) ? { id, key, side } : unreadable('missing field `dir`')
}

function isSide(text: string | undefined): text is ChannelSide {
  return text === 'read' || text === 'write'
}

function unreadable(problem: string): UpgradeRefusal {
  return { status: REFUSAL.unreadable, text: `Failed to deserialize query string: ${problem}` }
}

function refuseHead({ method, headers }: IncomingMessage): UpgradeRefusal | undefined {
  const refuse = (text: string) => ({ status: REFUSAL.unreadable, text })
  if (method === 'HEAD') return { status: REFUSAL.method, text: 'Request method must be `GET`' }
  if (!/\bupgrade\b/i.test(headers.connection ?? '')) return refuse("Connection header did not include 'upgrade'")
  if (headers.upgrade?.toLowerCase() !== 'websocket') return refuse("`Upgrade` header did not include 'websocket'")
  if (headers['sec-websocket-version'] !== '13') return refuse("`Sec-WebSocket-Version` header did not include '13'")
  return headers['sec-websocket-key'] === undefined ? refuse('`Sec-WebSocket-Key` header missing') : undefined
}

/** The headers that a refusal is answered with. */
export function refusalHeaders({ text, allow }: UpgradeRefusal): Record<string, string | number> {
  return {
    ...(text === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    ...(allow === undefined ? {} : { allow }),
    'content-length': text?.length ?? 0,
  }
}

/** Answers an upgrade that comes to nothing. Its connection is of no more use. */
export function refuseUpgrade(socket: Duplex, method: string | undefined, refusal: UpgradeRefusal): void {
  const { status, text = '' } = refusal
  const headers = Object.entries({ ...refusalHeaders(refusal), connection: 'close' })
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : text}`)
}
