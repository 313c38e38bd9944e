import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ListenerSession } from '../bus/workers.ts'
import { attachChannelSocket } from '../channels/channel-socket.ts'
import type { ChannelSide, Channels } from '../channels/channels.ts'
import { type Listening, listen, type PortTakenError } from '../listen.ts'
import type { WireError } from '../wire/frames.ts'
import { createFrameLimit } from './frame-limit.ts'
import { attachTelemetry, attachWorker, type BusParts, closeLikeEngine, refuseWorker } from './worker-socket.ts'

/** The largest message that anybody may send, in bytes; its frames are limited, too. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** What an upgrade that comes to nothing is answered with: there is no such place, or it is not said which. */
export const REFUSAL = { unknown: 404, unreadable: 400 } as const
/** How long a client may take to send the head of its upgrade request. */
const HANDSHAKE_MS = 10_000

export interface BusPortOptions {
  readonly host: string
  readonly port: number
  readonly use: PortTakenError['use']
  /** Asked about everybody who comes but for channels: their rights, or why they are refused. Without it everybody may do everything. */
  readonly authenticate?: (request: IncomingMessage) => Promise<ListenerSession | WireError>
}

/** Opens a listener for workers (`/`), telemetry (`/otel`) and channels (`/ws/channels/ID`); any other path is a 404. */
export async function openBusPort(
  parts: BusParts & { readonly channels: Channels },
  options: BusPortOptions,
): Promise<Listening> {
  const settings = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => false as const,
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
        closeLikeEngine(ws)
        const attach = (session?: ListenerSession) =>
          path === '/' ? attachWorker(parts, ws, addressOf(request), session) : attachTelemetry(parts, ws)
        if (options.authenticate) void admit(ws, options.authenticate(request), attach)
        else attach()
      })
      return
    }
    const target = findChannel(parts.channels, path, query)
    if (typeof target === 'number') return refuse(socket, target)
    channelSockets.handleUpgrade(request, socket, head, (ws) => {
      limitFrames(ws, socket)
      attachChannelSocket(ws, target.channel, target.side)
    })
  })
  return await listen(server, options.port, options.host, options.use)
}

/** Lets a connection in once it is known what it may do; until then nothing is read of it. */
async function admit(
  ws: WebSocket,
  deciding: Promise<ListenerSession | WireError>,
  attach: (session: ListenerSession) => void,
): Promise<void> {
  ws.pause()
  const decision = await deciding
  ws.resume()
  if (ws.readyState !== ws.OPEN) return
  if ('code' in decision) refuseWorker(ws, decision)
  else attach(decision)
}

/** The peer's address, an IPv4 one in its own notation. */
export function addressOf(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
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
  const params = new URLSearchParams(`?${query}`)
  const [key = null, secondKey] = params.getAll('key')
  const [side = null, secondSide] = params.getAll('dir')
  if ((secondKey ?? secondSide) !== undefined) return REFUSAL.unreadable
  if (key === null || !isSide(side)) return REFUSAL.unreadable
  const channel = channels.find(id, key)
  return channel ? { channel, side } : REFUSAL.unknown
}

function isSide(text: string | null): text is ChannelSide {
  return text === 'read' || text === 'write'
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
