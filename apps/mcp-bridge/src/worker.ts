import type { Handler, Logger, Served, Settings, Worker } from '@iii/sdk'
import { type AnswerBare, createBare } from './bare.ts'
import { createCallers } from './callers.ts'
import { createCannedPrompts } from './canned-prompts/index.ts'
import { createCatalog } from './catalog/index.ts'
import { createCompletion } from './completion.ts'
import { createDirectory } from './directory.ts'
import { createEngineResources } from './engine-resources/index.ts'
import { createGate } from './gate.ts'
import { createReplyDeadline } from './http/reply-deadline.ts'
import { type HttpRequest, readHttpRequest } from './http/request.ts'
import { createRoutes } from './http/routes.ts'
import { type HttpLimits, serveHttp } from './http/serve-http.ts'
import { createInvoker } from './invocation/index.ts'
import { createLive, serveLive } from './live.ts'
import { type Computer, createManagement, isShown, toComputer } from './management/index.ts'
import { type BridgeOptions, toExposureRules } from './options.ts'
import { createOwnResources } from './own-resources/index.ts'
import { createPrompts } from './prompts.ts'
import { createRegistry } from './registry.ts'
import { createResources } from './resources.ts'
import { createSeal } from './seal.ts'
import { createServer, type Rooms } from './server.ts'
import { createSessions } from './sessions/index.ts'
import { createSessionStore, SESSION_SCOPES } from './sessions/store.ts'
import { createSlots } from './slots.ts'
import { createEnginePresence } from './stdio/engine-presence.ts'
import { serveStdio } from './stdio/index.ts'
import { toPatientRooms } from './stdio/patient-rooms.ts'
import type { StdioStreams } from './stdio/streams.ts'
import { serveTasks } from './tasks/index.ts'
import { createTools } from './tools.ts'

/** What a bridge bears. */
export interface BridgeLimits extends HttpLimits {
  /** Largest request body. */
  readonly bodyBytes: number
  /** Largest reply: the engine reads a message of 16 MiB, and a reply travels in one. */
  readonly replyBytes: number
  /** Calls of functions at once. */
  readonly callsAtOnce: number
  /** How long a plain reply may take; less where the engine's HTTP port waits less. */
  readonly replyMs: number
  /** How long one may take that becomes a stream. */
  readonly streamMs: number
  /** For questions to the engine itself. */
  readonly engineTimeoutMs: number
  /** How long another bridge, or the worker of a task, may be away before it counts as gone. */
  readonly awayMs: number
}

export interface BridgeFacts {
  readonly version: string
  readonly limits?: BridgeLimits
  /** Is it reached over the engine's HTTP port? @default true */
  readonly http?: boolean
  /** Where the client is that started this process; undefined where there is none. */
  readonly client?: StdioStreams | undefined
  /** What workers that clients write see of the computer. @default no more of the environment than nothing */
  readonly computer?: Computer
}

export const BRIDGE_LIMITS: BridgeLimits = {
  bodyBytes: 4 * 1024 * 1024,
  replyBytes: 16 * 1024 * 1024,
  callsAtOnce: 256,
  replyMs: 25_000,
  streamMs: 300_000,
  silenceMs: 5_000,
  keepAliveMs: 10_000,
  stallMs: 30_000,
  streamsAtOnce: 1_024,
  streamsPerSession: 16,
  engineTimeoutMs: 2_000,
  awayMs: 10_000,
}

/** Puts the bridge on the bus: the endpoint, and what tells it that the engine has changed. */
export function serveBridge(
  worker: Worker,
  settings: Settings<BridgeOptions>,
  log: Logger,
  { version, limits = BRIDGE_LIMITS, http = true, client, computer = toComputer({}) }: BridgeFacts,
): Served {
  let options = settings.value
  // Functions of ours that no other bridge process may take over lie under a prefix of our own.
  const own = `mcp::${worker.instance}`
  const { catalog, sessions, deadline, streams, live, tasks, management, onEngineChange, handler, carry } = assemble(
    worker,
    {
      options: () => options,
      // Line and reason; where the file lies is nothing for a client.
      locked: () => settings.locked?.reason,
      via: own,
      version,
      limits,
      startsAlone: client !== undefined,
      computer,
      log,
    },
  )

  const routes = createRoutes(worker, handler, limits.bodyBytes)
  if (http) routes.serve(options.apiPath)
  const stdio = client && serveStdio({ ...carry, streams: client, log })
  const changes = ['engine::functions-available', 'engine::workers-available']
  listen(worker, `${own}::on-engine-change`, changes, {}, onEngineChange)
  const announcements = serveLive(
    live,
    worker,
    (name, type, config, onEvent) => listen(worker, `${own}::${name}`, [type], config, onEvent),
    limits.engineTimeoutMs,
  )
  for (const scope of Object.values(SESSION_SCOPES)) {
    listen(worker, `${own}::on-${scope.replace('mcp-', '')}`, ['state'], { scope }, sessions.observe)
  }

  let greeting: Promise<unknown> = Promise.resolve()
  const greet = () => {
    if (worker.state !== 'connected') return
    live.lists.forget()
    live.changes.engineChanged()
    void tasks.sweep()
    greeting = Promise.all([sessions.load(), deadline.load(), catalog.refresh().catch(() => undefined)])
  }
  const stopWatching = worker.onStateChange(greet)
  greet()
  const stopFollowing = settings.onChange(() => {
    const before = options
    options = settings.value
    if ([true, false].some((attached) => isShown(before, { attached }) !== isShown(options, { attached }))) {
      live.changes.toolsChanged()
    }
    if (http) routes.serve(options.apiPath)
    onEngineChange()
  })

  return {
    ready: worker.ready().then(async () => {
      await greeting
    }),
    done: stdio?.done,
    async close() {
      stopWatching()
      stopFollowing()
      announcements.close()
      live.close()
      await Promise.all([stdio?.close(), management.close()])
      catalog.close()
      tasks.close()
      sessions.close()
      await streams.close()
    },
  }
}

interface Assembly {
  readonly options: () => BridgeOptions
  readonly locked: () => string | undefined
  readonly via: string
  readonly version: string
  readonly limits: BridgeLimits
  /** Are there clients before there is an engine? */
  readonly startsAlone: boolean
  readonly computer: Computer
  readonly log: Logger
}

/** Rooms, table and carriers, put together. */
function assemble(worker: Worker, { options, locked, via, version, limits, startsAlone, computer, log }: Assembly) {
  const rules = () => toExposureRules(options())
  const directory = createDirectory(worker, limits.engineTimeoutMs)
  const catalog = createCatalog({
    directory,
    rules,
    inlineRefs: () => options().inlineRefs,
    log,
    onChange: () => live.changes.toolsChanged(),
    onDeclaredChange: () => {
      live.lists.forget()
      live.changes.engineChanged()
    },
    onLook(rows) {
      presence.looked()
      live.changes.functionsSeen(rows)
    },
    isWatched: () => live.changes.isWatched(),
  })
  const gate = createGate({ engine: worker, directory, rules, onLearned: catalog.learn })
  const registry = createRegistry(worker)
  const sessions = createSessions({ store: createSessionStore(worker, limits.engineTimeoutMs), log })
  const slots = createSlots(limits.callsAtOnce)
  const invoker = createInvoker({ worker, via, slots, seal: createSeal(sessions.keys), log })
  const own = createOwnResources({ catalog, log })
  const isOn = () => !options().noBuiltins
  const timeoutMs = limits.engineTimeoutMs
  const engine = createEngineResources({ engine: worker, directory, catalog, gate, rules, isOn, version, timeoutMs })
  const resources = createResources({ registry, own, engine, gate, invoker })
  const canned = createCannedPrompts({ isOn, rules, functionIds: engine.functionIds })
  const prompts = createPrompts({ registry, canned, gate, invoker })
  const live = createLive({ worker, prompts, resources, engine, refreshTools: catalog.refresh, ...limits })
  const onEngineChange = () => {
    gate.forget()
    engine.forget()
    live.lists.forget()
    catalog.invalidate()
    live.changes.engineChanged()
  }
  const tasks = serveTasks({ worker, directory, invoker, via, log, ...limits })
  const presence = createEnginePresence({
    worker,
    onLate: (kinds) => kinds.map((kind) => live.changes.announced({ kind })),
  })
  const management = createManagement({ worker, gate, slots, options, computer, timeoutMs, log })
  const rooms: Rooms = {
    tools: createTools({ catalog, gate, invoker, tasks, management, maxResultBytes: () => options().maxResultBytes }),
    tasks,
    resources,
    prompts,
    completion: createCompletion({ prompts, canned, resources, engine, own, gate, invoker }),
    ...live,
  }
  const server = createServer({ ...(startsAlone ? toPatientRooms(rooms, presence) : rooms), log, version })
  const deadline = createReplyDeadline(worker, { longestMs: limits.replyMs, askTimeoutMs: limits.engineTimeoutMs })
  const known = { server, sessions, limits: { ...limits, timeoutMs: deadline.timeoutMs } }
  const callers = createCallers(known)
  const { watch } = live.changes
  const http = serveHttp(worker, { server, sessions, callers, watch, door: options, locked, limits, log })
  const handler = toHandler(createBare({ server, callers, locked }), http.answer)
  const carry = {
    server,
    callers: createCallers({ ...known, attached: true }),
    locked,
    watch,
    maxLineBytes: limits.bodyBytes,
  }
  return { catalog, sessions, deadline, streams: http.streams, live, tasks, management, onEngineChange, handler, carry }
}

/** What the endpoint's function does with a request of the engine's HTTP port, and with a message that came by the bus. */
function toHandler(answerBare: AnswerBare, answerHttp: (request: HttpRequest) => Promise<unknown>): Handler {
  return (payload) => {
    const request = readHttpRequest(payload)
    return request === undefined ? answerBare(payload) : answerHttp(request)
  }
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
