import { createLog, type Logger, type RegisterWorkerOptions, registerWorker, type Worker } from '@iii/sdk'
import { BRIDGE_LIMITS, type BridgeLimits } from '../mcp/limits.ts'
import { type BridgeOptions, bridgeOptions } from '../options.ts'
import { readTelemetryEnvironment } from '../telemetry/index.ts'
import { serveBridge } from '../worker.ts'
import { toLock } from './lock.ts'

/** A bridge in this process, and another worker whose functions it serves. */
export interface TestBridge extends AsyncDisposable {
  /** The MCP endpoint. */
  readonly url: string
  /** The bridge's connection. */
  readonly worker: Worker
  /** Offers functions and calls the bridge past HTTP. */
  readonly other: Worker
  /** Changes what the bridge finds in its settings. */
  set(change: Partial<BridgeOptions>, locked?: string): void
  /** Posts a message, or any text, with the headers given beside the usual ones; undefined takes one away. */
  post(body: unknown, headers?: Record<string, string | undefined>): Promise<BridgeReply>
  /** Posts a request without a session. */
  rpc(method: string, params?: object, headers?: Record<string, string | undefined>): Promise<BridgeReply>
  /** Posts a request and hands out its result; an error fails the test. */
  result<T = Record<string, unknown>>(method: string, params?: object, headers?: Record<string, string>): Promise<T>
  /** Calls a tool and hands out its result. */
  call(name: string, input?: unknown): Promise<ToolAnswer>
  /** The names in `tools/list`. */
  toolNames(): Promise<string[]>
}

export interface BridgeReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON-RPC message in it, be it JSON or one event. */
  readonly message: {
    readonly id?: unknown
    readonly result?: Record<string, unknown>
    readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
  }
}

export interface ToolAnswer {
  readonly content: { readonly type: string; readonly text: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

export interface BridgeSetup {
  readonly options?: Partial<BridgeOptions>
  readonly limits?: Partial<BridgeLimits>
  readonly locked?: string
  readonly log?: Logger
  /** Where the bridge and the other worker are. */
  readonly namespace?: string
  /** What `runWorker` gives the bridge: that it sees whose its functions are, and leaves all to others until it says otherwise. */
  readonly worker?: Pick<RegisterWorkerOptions, 'watchOwnership' | 'defers'>
  /** The variables of OpenTelemetry that it finds. @default none */
  readonly variables?: Readonly<Record<string, string>>
}

const silent = createLog({ name: 'mcp', level: 'silent' })

/** Starts a bridge on an engine; it is ready when this resolves. */
export async function startBridge(
  engine: { readonly url: string; readonly httpUrl: string },
  {
    options = {},
    limits: own = {},
    locked,
    log = silent,
    namespace,
    worker: ownership = {},
    variables = {},
  }: BridgeSetup = {},
): Promise<TestBridge> {
  const naming = { name: 'mcp', namespace, log, maxMessageBytes: 256 * 1024 * 1024 }
  const worker = registerWorker(engine.url, { ...naming, ...ownership })
  const other = registerWorker(engine.url, { name: 'other', namespace, log })
  const listeners = new Set<() => void>()
  const settings = {
    value: { ...defaults, ...options },
    locked: toLock(locked),
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const telemetry = readTelemetryEnvironment(variables)
  const limits = { ...BRIDGE_LIMITS, ...own }
  const served = serveBridge(worker, settings, log, { version: '1.2.3', limits, telemetry })
  await Promise.all([served.ready, other.ready()])
  const close = async () => {
    await served.close()
    await Promise.all([worker.shutdown(), other.shutdown()])
  }
  let closed: Promise<void> | undefined
  const client = createClient(() => `${engine.httpUrl}/${settings.value.apiPath.replace(/^\//, '')}`)
  return {
    ...client,
    get url() {
      return client.url()
    },
    worker,
    other,
    set(change, lock) {
      settings.value = { ...settings.value, ...change }
      settings.locked = toLock(lock)
      for (const listener of listeners) listener()
    },
    [Symbol.asyncDispose]() {
      closed ??= close()
      return closed
    },
  }
}

const defaults = Object.fromEntries(
  Object.entries(bridgeOptions).map(([name, spec]) => [name, (spec as { default: unknown }).default]),
) as unknown as BridgeOptions

function createClient(url: () => string) {
  async function post(body: unknown, headers: Record<string, string | undefined> = {}): Promise<BridgeReply> {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return toBridgeReply(await fetch(url(), { method: 'POST', headers: sent, body: text }))
  }
  async function rpc(
    method: string,
    params?: object,
    headers?: Record<string, string | undefined>,
  ): Promise<BridgeReply> {
    return post({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) }, headers)
  }
  async function result<T>(method: string, params?: object, headers?: Record<string, string>): Promise<T> {
    const { message, text } = await rpc(method, params, headers)
    if (message.result === undefined) throw new Error(`${method} failed: ${text}`)
    return message.result as T
  }
  return {
    url,
    post,
    rpc,
    result,
    call: (name: string, input?: unknown) =>
      result<ToolAnswer>('tools/call', { name, ...(input === undefined ? {} : { arguments: input }) }),
    async toolNames() {
      const { tools } = await result<{ tools: { name: string }[] }>('tools/list')
      return tools.map((tool) => tool.name)
    },
  }
}

export async function toBridgeReply(response: Response): Promise<BridgeReply> {
  const text = await response.text()
  const json = text.startsWith('event: message\ndata: ') ? text.slice('event: message\ndata: '.length) : text
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: json === '' ? {} : (JSON.parse(json) as BridgeReply['message']),
  }
}

/** The `_meta` and headers of a 2026-07-28 request. */
export function stateless(method: string, name?: string) {
  return {
    meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '9' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
    },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
  }
}
