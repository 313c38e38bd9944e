import { randomUUID } from 'node:crypto'
import type { RawData, WebSocket } from 'ws'
import { announceWorker, type Bus, removeWorker } from './bus.ts'
import { dispatch } from './dispatch.ts'
import type { FrameTap } from './frame-tap.ts'
import type { WireError } from './frames.ts'
import { formatHello, formatRefusal } from './outgoing.ts'
import { parseFrame } from './parse-frame.ts'
import type { Session, Worker } from './workers.ts'

/** Close codes `ws` sends by itself when a peer breaks the protocol; the engine just drops the connection then. */
const PROTOCOL_ERRORS: ReadonlySet<number> = new Set([1002, 1007, 1009])

/** A worker that stopped reading is cut when this much waits for it, so that it cannot fill the memory. */
const MAX_UNSENT_BYTES = 256 * 1024 * 1024

/** Puts a freshly upgraded socket on the bus: greeting, event, then its frames in order until it is gone. */
export function attachWorker(
  bus: Bus,
  socket: WebSocket,
  ip: string,
  session: Session | undefined,
  tap: FrameTap,
): void {
  const worker: Worker = {
    id: randomUUID(),
    token: randomUUID(),
    ip,
    connectedAt: Date.now(),
    session,
    functionIds: new Set(),
    report: undefined,
    send(frame) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) {
        socket.terminate()
        return
      }
      tap.seen('out', worker.id, frame)
      socket.send(frame)
    },
    evict() {
      socket.terminate()
      removeWorker(bus, worker)
    },
  }
  bus.workers.add(worker)
  worker.send(formatHello(worker.id, worker.token))
  announceWorker(bus, 'worker_connected', worker.id)
  // A cut connection may still have frames in its buffer: they no longer count.
  const live = () => bus.workers.get(worker.id) === worker
  socket.on('message', (data, binary) => {
    const text = toText(data, binary)
    const frame = text === undefined || !live() ? undefined : parseFrame(text)
    if (text === undefined || !frame) return
    tap.seen('in', worker.id, text)
    dispatch(bus, worker, frame)
  })
  socket.on('close', () => removeWorker(bus, worker))
}

/** Tells a connection that it is not wanted, and closes it. */
export function refuseWorker(socket: WebSocket, error: WireError): void {
  socket.send(formatRefusal(error))
  socket.close()
}

/** Makes a socket end like the engine's: bare TCP close on a protocol error, two pongs for a ping. */
export function tameSocket(socket: WebSocket): void {
  const close = socket.close.bind(socket)
  socket.close = (code, reason) => {
    if (code !== undefined && PROTOCOL_ERRORS.has(code)) socket.terminate()
    else close(code, reason)
  }
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN) socket.pong(data)
  })
  // Whatever went wrong, 'close' follows.
  socket.on('error', () => {})
}

/** The text of a message; telemetry, which is told by its first four bytes, is none. */
function toText(data: RawData, binary: boolean): string | undefined {
  // The sockets are left at their default binary type, which delivers buffers.
  const bytes = data as Buffer
  if (!binary) return bytes.toString()
  return /^(?:OTLP|MTRC|LOGS)/.test(bytes.toString('latin1', 0, 4)) ? undefined : decodeUtf8(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
