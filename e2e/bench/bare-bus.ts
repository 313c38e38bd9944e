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
  /** @param options.route where the engine's HTTP port has it too, for POST; `options.repeats`: each reply is said again, as ours are */
  serve(functionId: string, run: BareFunction, options?: { route?: string; repeats?: boolean }): void
  call(functionId: string, data: unknown, metadata?: object): Promise<unknown>
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
  const functions = new Map<string, { run: BareFunction; say: (reply: string) => void }>()
  const waiting = new Map<string, (result: unknown) => void>()
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const say = (reply: string) => socket.send(reply)
  const sayTwice = createRepeats(say)

  socket.on('message', (message: Buffer) => {
    const { type, invocation_id: id = '', function_id = '', data, result } = JSON.parse(String(message)) as Frame
    if (type === 'invokefunction') {
      const head = `{"type":"invocationresult","invocation_id":"${id}","function_id":"${function_id}","result":`
      const served = functions.get(function_id)
      served?.run(data, (json) => served.say(`${head}${json}}`))
    } else if (type === 'invocationresult') {
      waiting.get(id)?.(result)
      waiting.delete(id)
    }
  })

  return {
    serve(id, run, { route, repeats = false } = {}) {
      functions.set(id, { run, say: repeats ? sayTwice : say })
      send({ type: 'registerfunction', id, metadata: { 'mcp.expose': false } })
      if (route === undefined) return
      const config = { api_path: route, http_method: 'POST' }
      send({ type: 'registertrigger', id: randomUUID(), trigger_type: 'http', function_id: id, config })
    },
    call: (function_id, data, metadata) =>
      new Promise((resolve) => {
        const invocation_id = randomUUID()
        waiting.set(invocation_id, resolve)
        send({ type: 'invokefunction', invocation_id, function_id, data, metadata })
      }),
    [Symbol.asyncDispose]: async () => socket.terminate(),
  }
}

const REPEAT_AFTER_MS = 20
const REPEAT_EVERY_MS = 5

/** From here on a reply is held instead, for so short a time that it does not count. */
const LARGE_LENGTH = 64 * 1024

/** Says a reply at once, and again in the way of `@iii/sdk`: a moment later, together with the others that are due. */
function createRepeats(say: (reply: string) => void): (reply: string) => void {
  let waiting: { reply: string; dueAt: number }[] = []
  const sayDue = (): void => {
    const now = performance.now()
    for (const { reply } of waiting.filter(({ dueAt }) => dueAt <= now)) say(reply)
    waiting = waiting.filter(({ dueAt }) => dueAt > now)
    if (waiting.length > 0) setTimeout(sayDue, REPEAT_EVERY_MS)
  }
  return (reply) => {
    say(reply)
    if (reply.length >= LARGE_LENGTH) return
    if (waiting.length === 0) setTimeout(sayDue, REPEAT_AFTER_MS)
    waiting.push({ reply, dueAt: performance.now() + REPEAT_AFTER_MS })
  }
}
