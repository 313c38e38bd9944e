import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { attachChannelSocket } from '../channels/channel-socket.ts'
import type { Channels, Side } from '../channels/channels.ts'
import { type Listening, listen, type PortTakenError } from '../listen.ts'
import { createFrameLimit } from './frame-limit.ts'
import { tameSocket } from './worker-socket.ts'

/** The largest message that anybody may send, in bytes; its frames are limited, too. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** What an upgrade that comes to nothing is answered with: there is no such place, or it is not said which. */
export const REFUSAL = { unknown: 404, unreadable: 400 } as const
/** How long a client may take to send the head of its upgrade request. */
const HANDSHAKE_MS = 10_000

/** What a bus listener does with those who come. */
export interface BusPortOptions {
  readonly host: string
  readonly port: number
  readonly use: PortTakenError['use']
  readonly channels: Channels
  /** A socket on the worker bus, in upgraded state. */
  onWorker(socket: WebSocket, request: IncomingMessage): void
  /** The same for telemetry. */
  onTelemetry(socket: WebSocket, request: IncomingMessage): void
}

/** Opens a listener for workers (`/`), telemetry (`/otel`) and channels (`/ws/channels/ID`); any other path is a 404. */
export async function openBusPort(options: BusPortOptions): Promise<Listening> {
  const settings = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  } as const
  const workers = new WebSocketServer(settings)
  const channelSockets = new WebSocketServer({ ...settings, autoPong: false })
  const server = createServer(
    { headersTimeout: HANDSHAKE_MS, connectionsCheckingInterval: 1000 },
    (_request, response) => {
      response.writeHead(REFUSAL.unknown, { 'content-length': 0 }).end()
    },
  )
  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => {})
    const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
    if (path === '/' || path === '/otel') {
      workers.handleUpgrade(request, socket, head, (ws) => {
        limitFrames(ws, socket)
        tameSocket(ws)
        if (path === '/') options.onWorker(ws, request)
        else options.onTelemetry(ws, request)
      })
      return
    }
    const target = findChannel(options.channels, path, query)
    if (typeof target === 'number') return refuse(socket, target)
    channelSockets.handleUpgrade(request, socket, head, (ws) => {
      limitFrames(ws, socket)
      attachChannelSocket(ws, target.channel, target.side)
    })
  })
  return await listen(server, options.port, options.host, options.use)
}

/** A frame that is too large costs its sender the connection. */
function limitFrames(ws: WebSocket, socket: Duplex): void {
  socket.on(
    'data',
    createFrameLimit(() => ws.terminate()),
  )
}

function findChannel(channels: Channels, path: string, query: string) {
  const id = /^\/ws\/channels\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return REFUSAL.unknown
  const params = new URLSearchParams(query)
  const key = params.get('key')
  const side = params.get('dir')
  if (key === null || !isSide(side)) return REFUSAL.unreadable
  const channel = channels.find(id, key)
  return channel ? { channel, side } : REFUSAL.unknown
}

function isSide(text: string | null): text is Side {
  return text === 'read' || text === 'write'
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
