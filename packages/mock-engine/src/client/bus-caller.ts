import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { EngineError, toCallError } from '../wire/engine-error.ts'
import type { WireError } from '../wire/frames.ts'

/** A worker as small as a bridge looks to a function: it calls, and is told of its call. */
export interface BusCaller {
  /** @throws EngineError as `engine.call` does, `TIMEOUT` when no answer came, `connection_lost`. */
  call(functionId: string, data: unknown, metadata?: object): Promise<unknown>
  /** Offers a function; a result that is a promise is waited for. */
  offer(id: string, handler: (data: Record<string, unknown>) => unknown): void
  close(): void
}

interface Frame {
  readonly type: string
  readonly invocation_id?: string
  readonly function_id?: string
  readonly data?: unknown
  readonly result?: unknown
  readonly error?: WireError
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** @throws EngineError `connection_lost` when nobody answers at the address. */
export async function connectCaller(url: string, timeoutMs: number): Promise<BusCaller> {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: timeoutMs })
  const pending = new Map<string, Pending>()
  const handlers = new Map<string, (data: Record<string, unknown>) => unknown>()
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const lose = (reason: string) => {
    for (const { reject } of pending.values()) reject(new EngineError('connection_lost', reason))
    pending.clear()
  }

  async function answer({ invocation_id, function_id = '', data }: Frame): Promise<void> {
    const handle = handlers.get(function_id)
    if (handle === undefined) return
    const outcome = await attempt(() => handle(data as Record<string, unknown>))
    if (invocation_id !== undefined) send({ type: 'invocationresult', invocation_id, function_id, ...outcome })
  }

  function settle({ invocation_id = '', result, error }: Frame): void {
    const call = pending.get(invocation_id)
    pending.delete(invocation_id)
    if (error) call?.reject(toCallError(error))
    else call?.resolve(result)
  }

  socket.on('message', (text) => {
    const frame = JSON.parse(String(text)) as Frame
    if (frame.type === 'invocationresult') settle(frame)
    if (frame.type === 'invokefunction') void answer(frame)
  })
  socket.on('error', () => {})
  socket.on('close', () => lose('the engine has closed the connection'))
  await once(socket, 'open').catch((error: unknown) => {
    throw new EngineError('connection_lost', `no engine answers at ${url}: ${String(error)}`)
  })

  const caller: BusCaller = {
    call(functionId, data, metadata) {
      const id = randomUUID()
      return new Promise((resolve, reject) => {
        const late = () => reject(new EngineError('TIMEOUT', `${functionId} did not answer within ${timeoutMs} ms`))
        const timer = setTimeout(() => pending.delete(id) && late(), timeoutMs)
        const end =
          <Value>(settle: (value: Value) => void) =>
          (value: Value) => {
            clearTimeout(timer)
            settle(value)
          }
        pending.set(id, { resolve: end(resolve), reject: end(reject) })
        send({ type: 'invokefunction', invocation_id: id, function_id: functionId, data, metadata })
      })
    },
    offer(id, handler) {
      handlers.set(id, handler)
      send({ type: 'registerfunction', id, metadata: { internal: true } })
    },
    close() {
      lose('the call is over')
      socket.terminate()
    },
  }
  // Engine 0.23 carries out what a connection registers once it has said its name.
  await caller.call('engine::workers::register', { runtime: 'node', name: `client-${randomUUID()}`, pid: process.pid })
  return caller
}

async function attempt(work: () => unknown): Promise<{ result: unknown } | { error: WireError }> {
  try {
    return { result: (await work()) ?? null }
  } catch (error) {
    return { error: { code: 'invocation_failed', message: error instanceof Error ? error.message : String(error) } }
  }
}
