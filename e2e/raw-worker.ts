import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A function as it is said to the engine, whatever its schemas and metadata are. */
export interface RawFunction {
  readonly id: string
  readonly request_format?: unknown
  readonly response_format?: unknown
  readonly metadata?: unknown
}

/**
 * Registers functions by hand, as a client library never would: each answers every call with `{ "ok": true }`.
 *
 * @param route is bound last, whatever comes of it
 */
export async function startRawWorker(
  engineUrl: string,
  functions: readonly RawFunction[],
  route?: { readonly function_id: string; readonly config: object },
): Promise<AsyncDisposable> {
  const socket = new WebSocket(engineUrl)
  const send = (frame: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(frame))
  socket.on('message', (data) => {
    const { type, function_id, invocation_id } = JSON.parse(String(data))
    if (type !== 'invokefunction' || !invocation_id) return
    const reply = { type: 'invocationresult', invocation_id, function_id, result: { ok: true } }
    send(reply)
    // Engine 0.22.1 may lose a reply that comes at once; a second one it ignores.
    setTimeout(send, 20, reply)
  })
  await once(socket, 'open')
  for (const fn of functions) send({ type: 'registerfunction', ...fn })
  // Engine 0.23 holds everything back until it knows whose it is.
  send({ type: 'invokefunction', function_id: 'engine::workers::register', data: {} })
  if (route !== undefined) send({ type: 'registertrigger', id: randomUUID(), trigger_type: 'http', ...route })
  return {
    async [Symbol.asyncDispose]() {
      // Whoever has broken the engine's router is not read any more, and has no goodbye answered.
      socket.terminate()
      await once(socket, 'close')
    },
  }
}
