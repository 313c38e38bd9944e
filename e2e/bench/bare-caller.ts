import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** One WebSocket connection that sends messages and waits for what comes back. */
export interface BareCaller extends AsyncDisposable {
  run(): Promise<void>
}

/** Sends one text again and again to an echo, which answers in order. */
export async function connectEchoCaller(url: string, text: string): Promise<BareCaller> {
  const socket = await connect(url)
  const waiting: (() => void)[] = []
  socket.on('message', () => waiting.shift()?.())
  return {
    run: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        socket.send(text)
      }),
    [Symbol.asyncDispose]: async () => socket.terminate(),
  }
}

/** Calls a function of an engine by frames written by hand. */
export async function connectFrameCaller(url: string, functionId: string, data: unknown): Promise<BareCaller> {
  const socket = await connect(url)
  const waiting = new Map<string, () => void>()
  socket.on('message', (message) => {
    const { invocation_id: id } = JSON.parse(String(message)) as { invocation_id?: string }
    if (id === undefined) return
    waiting.get(id)?.()
    waiting.delete(id)
  })
  return {
    run: () =>
      new Promise((resolve) => {
        const id = randomUUID()
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ type: 'invokefunction', invocation_id: id, function_id: functionId, data }))
      }),
    [Symbol.asyncDispose]: async () => socket.terminate(),
  }
}

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  return socket
}
