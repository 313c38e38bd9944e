import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Makes the JSON of a result, now or later, and hands it to `reply`. */
export type BareFunction = (data: unknown, reply: (json: string) => void) => void

/**
 * A worker's connection to an engine without any SDK: each reply is sent once and at once, and neither calls nor connection
 * are looked after. It is the least that a worker can cost, and loses what an engine loses.
 */
export interface BareBus extends AsyncDisposable {
  /** @param options.route where the engine's HTTP port has it too, for POST */
  serve(functionId: string, run: BareFunction, options?: { route?: string }): void
  call(functionId: string, data: unknown): Promise<unknown>
}

interface Frame {
  type: string
  invocation_id?: string
  function_id?: string
  data?: unknown
  result?: unknown
}

export async function connectBareBus(url: string): Promise<BareBus> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  const functions = new Map<string, BareFunction>()
  const waiting = new Map<string, (result: unknown) => void>()
  const send = (frame: object) => socket.send(JSON.stringify(frame))

  socket.on('message', (message: Buffer) => {
    const { type, invocation_id: id = '', function_id = '', data, result } = JSON.parse(String(message)) as Frame
    if (type === 'invokefunction') {
      const head = `{"type":"invocationresult","invocation_id":"${id}","function_id":"${function_id}","result":`
      functions.get(function_id)?.(data, (json) => socket.send(`${head}${json}}`))
    } else if (type === 'invocationresult') {
      waiting.get(id)?.(result)
      waiting.delete(id)
    }
  })

  return {
    serve(id, run, { route } = {}) {
      functions.set(id, run)
      send({ type: 'registerfunction', id, metadata: { 'mcp.expose': false } })
      if (route === undefined) return
      const config = { api_path: route, http_method: 'POST' }
      send({ type: 'registertrigger', id: randomUUID(), trigger_type: 'http', function_id: id, config })
    },
    call: (function_id, data) =>
      new Promise((resolve) => {
        const invocation_id = randomUUID()
        waiting.set(invocation_id, resolve)
        send({ type: 'invokefunction', invocation_id, function_id, data })
      }),
    [Symbol.asyncDispose]: async () => socket.terminate(),
  }
}
