import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** Any frame, as a test reads it. */
export type AnyFrame = Record<string, unknown> & { type: string }

/** One worker connected to the scripted engine: what it sent, and what to send it. */
export interface Peer {
  readonly frames: readonly AnyFrame[]
  readonly texts: readonly string[]
  readonly sentAt: readonly number[]
  readonly pongs: number
  readonly pings: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly path: string
  send(frame: object | string): void
  /** The next frame of this type (and kind) that nobody took yet; waits for it. */
  next(type: string, fits?: (frame: AnyFrame) => boolean): Promise<AnyFrame>
  /** Stops reading and answering, as a hung engine would. */
  freeze(): void
  /** Cuts the connection. */
  cut(): void
  readonly closed: Promise<void>
}

/** A WebSocket server that does nothing by itself but greet (and answer pings), so that a test says every frame. */
export interface ScriptedEngine extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly peers: readonly Peer[]
  /** The next connection that nobody took yet; waits for it. */
  nextPeer(): Promise<Peer>
  close(): Promise<void>
}

export interface ScriptedEngineOptions {
  port?: number
  /** What a worker hears first. @default `workerregistered` with fresh ids */
  greeting?: ((connection: number) => object | undefined) | undefined
  answerPings?: boolean
  /** What it says to a worker that has said who it is; undefined for nothing. @default that this is fine */
  welcome?: ((call: AnyFrame, connection: number) => object | undefined) | undefined
  /** What it says to any other frame. @default nothing */
  answer?: ((frame: AnyFrame) => object | undefined) | undefined
}

export async function startScriptedEngine(options: ScriptedEngineOptions = {}): Promise<ScriptedEngine> {
  const server = new WebSocketServer({ port: options.port ?? 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const peers: Peer[] = []
  const arrivals = createLine<Peer>()
  server.on('connection', (socket, request) => {
    const number = peers.length + 1
    const greeting = (options.greeting ?? greet)(number)
    const answer = (frame: AnyFrame) => {
      if (frame.type === 'ping') return (options.answerPings ?? true) ? { type: 'pong' } : undefined
      return isPresentation(frame) ? (options.welcome ?? welcome)(frame, number) : options.answer?.(frame)
    }
    const peer = createPeer(socket, answer, request.headers, request.url ?? '')
    peers.push(peer)
    arrivals.push(peer)
    if (greeting !== undefined) peer.send(greeting)
  })
  const { port } = server.address() as AddressInfo
  const close = async () => {
    for (const client of server.clients) client.terminate()
    server.close()
    await once(server, 'close')
  }
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    peers,
    nextPeer: () => arrivals.shift(() => true),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function greet(connection: number): object {
  return { type: 'workerregistered', worker_id: `worker-${connection}`, reattach_token: `token-${connection}` }
}

export function welcome({ invocation_id }: AnyFrame): object {
  return { type: 'invocationresult', invocation_id, result: { success: true } }
}

/** Whether a frame is the call by which a worker says who it is. */
export function isPresentation({ function_id }: AnyFrame): boolean {
  return function_id === 'engine::workers::register'
}

type Answer = (frame: AnyFrame) => object | undefined

function createPeer(socket: WebSocket, answer: Answer, headers: Peer['headers'], path: string): Peer {
  const frames: AnyFrame[] = []
  const texts: string[] = []
  const sentAt: number[] = []
  const line = createLine<AnyFrame>()
  const counts = { ping: 0, pong: 0 }
  const closed = once(socket, 'close').then(() => undefined)
  const send = (frame: object | string) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    const frame = JSON.parse(text) as AnyFrame
    texts.push(text)
    frames.push(frame)
    sentAt.push(performance.now())
    line.push(frame)
    const said = answer(frame)
    if (said !== undefined) send(said)
  })
  socket.on('ping', () => counts.ping++)
  socket.on('pong', () => counts.pong++)
  return {
    frames,
    texts,
    sentAt,
    headers,
    path,
    closed,
    get pongs() {
      return counts.pong
    },
    get pings() {
      return counts.ping
    },
    send,
    next: (type, fits = () => true) => line.shift((frame) => frame.type === type && fits(frame)),
    freeze: () => socket.pause(),
    cut: () => socket.terminate(),
  }
}

/** Things that come, and those who wait for one of them. */
function createLine<T>() {
  const things: T[] = []
  let waiting: { fits: (thing: T) => boolean; take: (thing: T) => void }[] = []
  return {
    push(thing: T): void {
      const taker = waiting.find(({ fits }) => fits(thing))
      if (taker === undefined) {
        things.push(thing)
        return
      }
      waiting = waiting.filter((other) => other !== taker)
      taker.take(thing)
    },
    shift(fits: (thing: T) => boolean): Promise<T> {
      const at = things.findIndex(fits)
      const [thing] = at === -1 ? [] : things.splice(at, 1)
      return thing === undefined ? new Promise((take) => waiting.push({ fits, take })) : Promise.resolve(thing)
    },
  }
}
