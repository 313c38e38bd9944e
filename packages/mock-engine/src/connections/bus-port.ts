import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ListenerSession } from '../bus/workers.ts'
import { attachChannelSocket } from '../channels/channel-socket.ts'
import type { Channels } from '../channels/channels.ts'
import { type Listening, listen, type PortTakenError } from '../listen.ts'
import type { WireError } from '../wire/frames.ts'
import { createFrameLimit } from './frame-limit.ts'
import { REFUSAL, readUpgrade, refusalHeaders, refuseUpgrade, type UpgradeRefusal } from './upgrade.ts'
import { attachTelemetry, attachWorker, type BusParts, closeLikeEngine, refuseWorker } from './worker-socket.ts'

/** The largest message that anybody may send, in bytes; its frames are limited, too. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** How long a client may take to send the head of its upgrade request. */
const HANDSHAKE_MS = 10_000

export interface BusPortOptions {
  readonly host: string
  readonly port: number
  readonly use: PortTakenError['use']
  /** Asked about everybody who comes but for channels: their rights, or why they are refused. Without it everybody may do everything. */
  readonly authenticate?: (request: IncomingMessage) => Promise<ListenerSession | WireError>
}

/** Opens a listener for workers (`/`), telemetry (`/otel`) and channels (`/ws/channels/ID`). */
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
    { headersTimeout: HANDSHAKE_MS, connectionsCheckingInterval: 1000, keepAliveTimeout: 0 },
    (request, response) => {
      // What upgrades comes as an event of its own.
      const refusal = readUpgrade(request) as UpgradeRefusal
      if (response.shouldKeepAlive) response.removeHeader('connection')
      response.writeHead(refusal.status, refusalHeaders(refusal)).end(refusal.text)
    },
  )
  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => {})
    const target = readUpgrade(request)
    if (typeof target === 'string') {
      workers.handleUpgrade(request, socket, head, (ws) => {
        limitFrames(ws, socket)
        closeLikeEngine(ws)
        const attach = (session?: ListenerSession) =>
          target === '/' ? attachWorker(parts, ws, addressOf(request), session) : attachTelemetry(parts, ws)
        if (options.authenticate) void admit(ws, options.authenticate(request), attach)
        else attach()
      })
      return
    }
    if ('status' in target) return refuseUpgrade(socket, request.method, target)
    const channel = parts.channels.find(target.id, target.key)
    if (!channel) return refuseUpgrade(socket, request.method, { status: REFUSAL.unknown, text: 'Channel not found' })
    channelSockets.handleUpgrade(request, socket, head, (ws) => {
      limitFrames(ws, socket)
      attachChannelSocket(ws, channel, target.side)
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
