import { randomUUID } from 'node:crypto'
import { type RawData, WebSocket } from 'ws'
import { announceWorker, type Bus, removeWorker } from '../bus/bus.ts'
import { ignorePanic } from '../bus/panic.ts'
import type { BusWorker, ListenerSession } from '../bus/workers.ts'
import type { Faults } from '../faults/faults.ts'
import { decodeUtf8 } from '../json/utf8.ts'
import type { LogStore } from '../observability/log-store.ts'
import { isTelemetry, takeTelemetry } from '../observability/telemetry-messages.ts'
import type { WireError } from '../wire/frames.ts'
import { formatHello, formatRefusal } from '../wire/outgoing.ts'
import { parseFrame } from '../wire/parse-frame.ts'
import { dispatch } from './dispatch.ts'
import { createFrameQueue } from './frame-queue.ts'
import type { FrameTap } from './frame-tap.ts'
import { createSendQueue } from './send-queue.ts'

/** The parts of an engine that a connection meets. */
export interface BusParts {
  readonly bus: Bus
  readonly tap: FrameTap
  readonly faults: Faults
  readonly logs: LogStore
}

/** Puts a freshly upgraded socket on the bus: greeting, event, then its frames in order until it is gone. */
export function attachWorker(
  { bus, tap, faults, logs }: BusParts,
  socket: WebSocket,
  ip: string,
  session: ListenerSession | undefined,
): void {
  const sendQueue = createSendQueue()
  // Into a connection that nobody reads and the other side has cut go two more messages: one that is refused, one that fails.
  let unnoticed = 2
  let evicting = false
  // Nothing more is sent to it then, not even what becomes of its own bindings; unless the clean-up fails, and it stays.
  const replaced = () => evicting && !frameQueue.dead
  const worker: BusWorker = {
    id: randomUUID(),
    token: randomUUID(),
    ip,
    connectedAt: Date.now(),
    session,
    get namespaceState() {
      return namespaceState
    },
    functionIds: new Set(),
    report: undefined,
    drained: () => sendQueue.drained(),
    send(frame) {
      if (replaced() || socket.readyState !== socket.OPEN) return !frameQueue.dead || unnoticed-- > 0
      tap.seen('out', worker.id, frame)
      socket.send(frame, sendQueue.add())
      return true
    },
    evict(how = 'cut') {
      // A close frame is answered, and the answer has to be read.
      socket.resume()
      if (how === 'cut') socket.terminate()
      else sendClose(socket)
      leave()
    },
    evictForReattach: () =>
      frameQueue.yield(() => {
        evicting = true
        const wait = removeWorker(bus, worker)
        if (!wait) socket.terminate()
        return wait?.then(() => socket.terminate())
      }),
    pause: () => frameQueue.pause(),
    resume: () => frameQueue.resume(),
  }
  const namespaceState = bus.generation.admit(worker, (frame) => dispatch(bus, worker, frame))
  // A cut connection may still have frames in its buffer: they no longer count.
  const live = () => bus.workers.get(worker.id) === worker
  const leave = () => ignorePanic(() => void removeWorker(bus, worker))
  const takeFrame = (text: string) => {
    const frame = parseFrame(text, bus.generation.unknownMembers)
    if (!frame) return undefined
    tap.seen('in', worker.id, text)
    return faults.received(worker, frame) && !namespaceState.hold(frame) ? dispatch(bus, worker, frame) : undefined
  }
  const frameQueue = createFrameQueue(socket, (message: string | Buffer) => {
    if (!live()) return undefined
    if (typeof message === 'string') return takeFrame(message)
    takeTelemetry(message, logs)
    return undefined
  })
  bus.workers.add(worker)
  worker.send(formatHello(worker.id, worker.token))
  announceWorker(bus, 'worker_connected', worker.id)
  socket.on('message', (data, binary) => {
    const message = toMessage(data, binary)
    if (message !== undefined) frameQueue.take(message)
  })
  socket.on('close', () => frameQueue.end(leave))
  faults.greeted(worker)
}

/** Takes what comes on a connection for telemetry only: no text, and it is no worker. */
export function attachTelemetry({ logs }: BusParts, socket: WebSocket): void {
  socket.on('message', (data, binary) => {
    if (binary) takeTelemetry(data as Buffer, logs)
  })
}

/** Tells a connection that it is not wanted, and closes it. */
export function refuseWorker(socket: WebSocket, error: WireError): void {
  socket.send(formatRefusal(error))
  sendClose(socket)
}

/** Makes a socket end like the engine's: bare TCP close on a protocol error and for a Close, two pongs for a ping. */
export function closeLikeEngine(socket: WebSocket): void {
  // This is how `ws` answers a peer that closes or breaks the protocol.
  socket.close = () => socket.terminate()
  socket.on('ping', (data) => {
    if (socket.readyState === socket.OPEN) socket.pong(data)
  })
  // Whatever went wrong, 'close' follows.
  socket.on('error', () => {})
}

/** The one Close that the engine sends: to a connection that it does not want. */
function sendClose(socket: WebSocket): void {
  WebSocket.prototype.close.call(socket)
}

/** What a message holds: the text of a frame, or telemetry as it came. */
function toMessage(data: RawData, binary: boolean): string | Buffer | undefined {
  // The sockets are left at their default binary type, which delivers buffers.
  const bytes = data as Buffer
  if (!binary) return bytes.toString()
  return isTelemetry(bytes) ? bytes : decodeUtf8(bytes)
}
