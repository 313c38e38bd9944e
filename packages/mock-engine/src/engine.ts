import { createBus } from './bus/bus.ts'
import { createFrameTap, type SeenFrame } from './bus/frame-tap.ts'
import { createChannels } from './channels/channels.ts'
import { EngineError } from './engine-error.ts'
import { furnish, type House } from './house.ts'
import type { HttpSettings } from './http/http-settings.ts'
import { createRoutes } from './http/routes.ts'
import { toValue } from './json/build.ts'
import { parseJson } from './json/parse.ts'
import { type MockEngineOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { type OpenPorts, openPorts } from './ports.ts'

/** A running engine. */
export interface MockEngine extends AsyncDisposable {
  /** Address of the worker bus, `ws://HOST:PORT`. */
  readonly url: string
  /** Address of the HTTP port, `http://HOST:PORT`. */
  readonly httpUrl: string
  /** Address of the restricted listener, when there is one. */
  readonly restrictedUrl: string | undefined
  readonly port: number
  readonly httpPort: number
  /**
   * Calls a function as the engine itself does: the callee sees no `_caller_worker_id`.
   *
   * @returns the result, `undefined` when there is none.
   * @throws EngineError with `code` and `message` of the failure, `serialization_error` for a payload that has no JSON form.
   */
  call(functionId: string, payload?: unknown): Promise<unknown>
  /** Shows every frame on the worker bus. @returns a function that ends it. */
  onFrame(listener: (frame: SeenFrame) => void): () => void
  /** Cuts every connection, frees the ports and writes what is left of the state. */
  close(): Promise<void>
}

/**
 * Starts an engine in this process.
 *
 * @throws PortTakenError when another process has one of the ports.
 *
 * @example
 * await using engine = await startMockEngine()
 * engine.url // 'ws://127.0.0.1:40123'
 */
export async function startMockEngine(options: MockEngineOptions = {}): Promise<MockEngine> {
  const resolved = resolveOptions(options)
  const house: House = {
    options: resolved,
    bus: createBus(),
    channels: createChannels(),
    tap: createFrameTap(),
    routes: createRoutes(),
    http: toHttpSettings(resolved),
  }
  const leave = await furnish(house)
  const ports = await openPorts(house).catch(async (error: unknown) => {
    await leave()
    throw error
  })
  return toEngine(house, ports, async () => {
    await ports.stop()
    await leave()
  })
}

function toEngine({ bus, tap, options }: House, ports: OpenPorts, close: () => Promise<void>): MockEngine {
  const address = (scheme: string, port: number) => `${scheme}://${options.host}:${port}`
  return {
    url: address('ws', ports.bus),
    httpUrl: address('http', ports.http),
    restrictedUrl: ports.restricted === undefined ? undefined : address('ws', ports.restricted),
    port: ports.bus,
    httpPort: ports.http,
    async call(functionId, payload = {}) {
      const data = parseJson(JSON.stringify(payload) ?? '')
      if (data === undefined)
        throw new EngineError('serialization_error', 'the payload has no JSON form the engine takes')
      const { result, error } = await bus.calls.ask({ functionId, data })
      if (error) throw new EngineError(error.code, error.message, error.stacktrace)
      return toValue(result)
    },
    onFrame: (listener) => tap.watch(listener),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function toHttpSettings(options: ResolvedOptions): HttpSettings {
  return {
    timeoutMs: options.httpTimeoutMs,
    cors: options.cors,
    middleware: options.middleware,
    host: options.host,
    port: options.httpPort,
  }
}
