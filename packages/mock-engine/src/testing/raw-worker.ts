import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'

/** Any frame, as a test reads it. */
export type AnyFrame = Record<string, unknown> & { readonly type: string }

/** A worker that does only what a test tells it to. */
export interface RawWorker extends Disposable {
  /** Everything that came, the greeting first. */
  readonly frames: readonly AnyFrame[]
  readonly socket: WebSocket
  /** The close code, 1006 without a close frame. */
  readonly closed: Promise<number>
  send(...frames: object[]): void
  /** The first frame that fits, also among those that came already. */
  frame(fits: (frame: AnyFrame) => boolean): Promise<AnyFrame>
  /** Offers a function, and answers its calls with the first value the handler gives, as often as it gives one. */
  offer(id: string, handler: (data: Record<string, unknown>) => readonly unknown[]): void
  /** Calls a function and waits for the result frame. */
  call(functionId: string, data?: unknown): Promise<AnyFrame>
  /** Waits until the engine has handled everything that was sent. */
  sync(): Promise<void>
}

/** Connects a worker that reports this name. */
export async function connectRaw(url: string, name?: string): Promise<RawWorker> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const frames: AnyFrame[] = []
  const waiting = new Set<(frame: AnyFrame) => void>()
  const handlers = new Map<string, (data: Record<string, unknown>) => readonly unknown[]>()
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  socket.on('error', () => {})
  socket.on('message', (text) => {
    const frame = JSON.parse(String(text)) as AnyFrame
    frames.push(frame)
    answer(frame)
    for (const look of waiting) look(frame)
  })

  function answer({ type, invocation_id, function_id, data }: AnyFrame): void {
    const handler = type === 'invokefunction' ? handlers.get(String(function_id)) : undefined
    for (const result of handler?.(data as Record<string, unknown>) ?? []) {
      worker.send({ type: 'invocationresult', invocation_id, function_id, result })
    }
  }

  const worker: RawWorker = {
    frames,
    socket,
    closed,
    send(...list) {
      for (const frame of list) socket.send(JSON.stringify(frame))
    },
    frame: (fits) =>
      new Promise((resolve) => {
        const present = frames.find(fits)
        if (present) return resolve(present)
        const look = (frame: AnyFrame) => {
          if (fits(frame) && waiting.delete(look)) resolve(frame)
        }
        waiting.add(look)
      }),
    offer(id, handler) {
      handlers.set(id, handler)
      worker.send({ type: 'registerfunction', id })
    },
    call(functionId, data = {}) {
      const id = randomUUID()
      worker.send({ type: 'invokefunction', invocation_id: id, function_id: functionId, data })
      return worker.frame((frame) => frame.type === 'invocationresult' && frame['invocation_id'] === id)
    },
    async sync() {
      const seen = frames.length
      worker.send({ type: 'ping' })
      await worker.frame((frame) => frame.type === 'pong' && frames.indexOf(frame) >= seen)
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
  await worker.frame(({ type }) => type === 'workerregistered')
  if (name !== undefined) await worker.call('engine::workers::register', { runtime: 'node', name, pid: 1 })
  return worker
}
