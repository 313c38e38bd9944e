import type { Handler, Logger, Served, Settings, Worker } from '@iii/sdk'
import { createBare } from './bare.ts'
import { createCallers } from './callers.ts'
import { createCatalog } from './catalog/index.ts'
import { createDirectory } from './directory.ts'
import { createGate } from './gate.ts'
import { createHttp } from './http/index.ts'
import { createReplyDeadline } from './http/reply-deadline.ts'
import { readHttpRequest } from './http/request.ts'
import { createRoutes } from './http/routes.ts'
import { type BridgeOptions, toExposureRules } from './options.ts'
import { createPrompts } from './prompts.ts'
import { createRegistry } from './registry.ts'
import { createResources } from './resources.ts'
import { createServer } from './server.ts'
import { createSessions } from './sessions/index.ts'
import { createSessionStore, SESSION_SCOPES } from './sessions/store.ts'
import { createSidecar } from './sidecar.ts'
import { createSlots } from './slots.ts'
import { createTools } from './tools.ts'

/** What a bridge bears. */
export interface BridgeLimits {
  /** Largest request body. */
  readonly bodyBytes: number
  /** Largest reply: the engine reads a message of 16 MiB, and a reply travels in one. */
  readonly replyBytes: number
  /** Calls of functions at once. */
  readonly callsAtOnce: number
  /** How long a plain reply may take; less where the engine's HTTP port waits less. */
  readonly replyMs: number
  /** For questions to the engine itself. */
  readonly engineTimeoutMs: number
}

export interface BridgeFacts {
  readonly version: string
  readonly limits?: BridgeLimits
}

export const BRIDGE_LIMITS: BridgeLimits = {
  bodyBytes: 4 * 1024 * 1024,
  replyBytes: 16 * 1024 * 1024,
  callsAtOnce: 256,
  replyMs: 25_000,
  engineTimeoutMs: 2_000,
}

/** Puts the bridge on the bus: the endpoint, and what tells it that the engine has changed. */
export function serveBridge(
  worker: Worker,
  settings: Settings<BridgeOptions>,
  log: Logger,
  { version, limits = BRIDGE_LIMITS }: BridgeFacts,
): Served {
  let options = settings.value
  // Functions of ours that no other bridge process may take over lie under a prefix of our own.
  const own = `mcp::${worker.instance}`
  const { catalog, sessions, deadline, handler } = assemble(worker, log, {
    options: () => options,
    // Line and reason; where the file lies is nothing for a client.
    locked: () => settings.locked?.reason,
    via: own,
    version,
    limits,
  })

  const routes = createRoutes(worker, handler, limits.bodyBytes)
  routes.serve(options.apiPath)
  const changes = ['engine::functions-available', 'engine::workers-available']
  listen(worker, `${own}::on-engine-change`, changes, {}, catalog.invalidate)
  for (const scope of Object.values(SESSION_SCOPES)) {
    listen(worker, `${own}::on-${scope.replace('mcp-', '')}`, ['state'], { scope }, sessions.observe)
  }

  let greeting: Promise<unknown> = Promise.resolve()
  const greet = () => {
    if (worker.state !== 'connected') return
    greeting = Promise.all([sessions.load(), deadline.load(), catalog.refresh().catch(() => undefined)])
  }
  const stopWatching = worker.onStateChange(greet)
  greet()
  const stopFollowing = settings.onChange(() => {
    options = settings.value
    routes.serve(options.apiPath)
    catalog.invalidate()
  })

  return {
    ready: worker.ready().then(async () => {
      await greeting
    }),
    close() {
      stopWatching()
      stopFollowing()
      catalog.close()
    },
  }
}

interface Assembly {
  readonly options: () => BridgeOptions
  readonly locked: () => string | undefined
  readonly via: string
  readonly version: string
  readonly limits: BridgeLimits
}

/** Rooms, table and carriers, put together. */
function assemble(worker: Worker, log: Logger, { options, locked, via, version, limits }: Assembly) {
  const rules = () => toExposureRules(options())
  const toSidecar = createSidecar(via)
  const directory = createDirectory(worker, limits.engineTimeoutMs)
  const catalog = createCatalog({ directory, rules, log })
  const gate = createGate({ engine: worker, directory, rules, onLearned: catalog.learn })
  const registry = createRegistry(worker)
  const server = createServer({
    tools: createTools({ catalog, gate, toSidecar, log }),
    resources: createResources({ registry, gate, toSidecar }),
    prompts: createPrompts({ registry, gate, toSidecar }),
    slots: createSlots(limits.callsAtOnce),
    version,
  })
  const sessions = createSessions({ store: createSessionStore(worker, limits.engineTimeoutMs), log })
  const deadline = createReplyDeadline(worker, { longestMs: limits.replyMs, askTimeoutMs: limits.engineTimeoutMs })
  const { timeoutMs } = deadline
  const callers = createCallers({ server, sessions, limits: { replyBytes: limits.replyBytes, timeoutMs } })
  const answerBare = createBare({ server, callers, locked })
  const answerHttp = createHttp({
    server,
    sessions,
    callers,
    door: options,
    locked,
    openReader: (ref) => worker.openChannelReader(ref),
    maxBodyBytes: limits.bodyBytes,
  })
  const handler: Handler = (payload) => {
    const request = readHttpRequest(payload)
    return request === undefined ? answerBare(payload) : answerHttp(request)
  }
  return { catalog, sessions, deadline, handler }
}

function listen(
  worker: Worker,
  id: string,
  types: readonly string[],
  config: Record<string, unknown>,
  onEvent: (event: unknown) => void,
): void {
  // The engine waits for the answer of some triggers, and for none of their results.
  worker.registerFunction(id, (event: unknown) => {
    onEvent(event)
    return {}
  })
  for (const type of types) worker.registerTrigger({ type, function_id: id, config })
}
