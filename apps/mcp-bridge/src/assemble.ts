import type { Handler, Logger, Worker } from '@iii/sdk'
import { type AnswerBare, createBare } from './bare.ts'
import { serveCallFeed } from './call-feed/index.ts'
import type { Changes } from './changes/index.ts'
import { createLive } from './changes/live.ts'
import { createDirectory } from './gate/directory.ts'
import { createGate } from './gate/index.ts'
import { createSight } from './gate/sight.ts'
import { serveHttp } from './http/index.ts'
import { createReplyDeadline } from './http/reply-deadline.ts'
import { type HttpRequest, readHttpRequest } from './http/request.ts'
import { createInvoker } from './invocation/index.ts'
import { createSlots } from './invocation/slots.ts'
import { type Computer, createManagement } from './management/index.ts'
import { createCallLog } from './mcp/call-log.ts'
import { createEnginePresence } from './mcp/engine-presence.ts'
import { createInstructions } from './mcp/instructions.ts'
import type { BridgeLimits } from './mcp/limits.ts'
import { createServer, type McpServer } from './mcp/server.ts'
import { createMethods, type Handlers } from './methods.ts'
import { type BridgeOptions, toExposureRules } from './options.ts'
import { createCannedPrompts } from './prompts/canned/index.ts'
import { createCompletion } from './prompts/completion.ts'
import { createPrompts } from './prompts/index.ts'
import { createDeclaredResources } from './resources/declared/index.ts'
import { createEngineResources } from './resources/engine/index.ts'
import { createResources } from './resources/index.ts'
import { createRegistry } from './resources/registry.ts'
import { createCallers } from './sessions/callers.ts'
import { createSessions, type Sessions } from './sessions/index.ts'
import { createSeal } from './sessions/seal.ts'
import { createSessionStore } from './sessions/store.ts'
import { serveTasks } from './tasks/index.ts'
import { createCatalog } from './tools/catalog/index.ts'
import { createTools } from './tools/index.ts'
export interface Assembly {
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

/** Handlers, method table and carriers, put together. */
export function assemble(
  worker: Worker,
  { options, locked, via, version, limits, startsAlone, computer, log }: Assembly,
) {
  const rules = () => toExposureRules(options())
  const sight = createSight(worker.namespace, () => options().namespaces)
  const directory = createDirectory(worker, limits.engineTimeoutMs, sight)
  const catalog = createCatalog({
    directory,
    rules,
    sight,
    schemaForm: () => ({ inlineAll: options().inlineRefs, outputSchemas: options().outputSchemas === 'on' }),
    log,
    onChange: () => live.changes.toolsChanged(0), // The look that found it came after the burst.
    onDeclaredChange: () => forgetLists(live),
    onLook(rows) {
      presence.looked()
      live.changes.functionsSeen(rows)
    },
    isWatched: () => live.changes.isWatched(),
  })
  const gate = createGate({ engine: worker, directory, own: sight.own, rules, onLearned: catalog.learn })
  const registry = createRegistry(worker)
  const sessions = createSessions({ store: createSessionStore(worker, limits.engineTimeoutMs), log })
  const slots = createSlots(limits.callsAtOnce)
  const invoker = createInvoker({ worker, gate, via, slots, seal: createSeal(sessions.keys), log })
  const declared = createDeclaredResources({ catalog, log })
  const isOn = () => !options().noBuiltins
  const timeoutMs = limits.engineTimeoutMs
  const engine = createEngineResources({ engine: worker, directory, catalog, gate, rules, isOn, version, timeoutMs })
  const resources = createResources({ registry, declared, engine, gate, invoker })
  const canned = createCannedPrompts({ isOn, rules, functionIds: engine.functionIds })
  const prompts = createPrompts({ registry, canned, gate, invoker, own: worker.namespace })
  const live = createLive({ worker, prompts, resources, engine, refreshTools: catalog.refresh, ...limits })
  const onEngineChange = () => {
    gate.forget()
    feed.onEngineChange()
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
  const management = createManagement({ worker, gate, sight, slots, options, computer, timeoutMs, onEngineChange, log })
  const handlers: Handlers = {
    tools: createTools({ catalog, gate, invoker, tasks, management, maxResultBytes: () => options().maxResultBytes }),
    tasks,
    resources,
    prompts,
    completion: createCompletion({ prompts, canned, resources, engine, declared, gate, invoker }),
    ...live,
    serverInfo: { name: 'iii-mcp', title: 'iii engine', version },
    instructions: createInstructions(catalog, isOn),
  }
  const feed = serveCallFeed({ worker, via, timeoutMs, log })
  const server = createServer({
    methods: createMethods(handlers),
    serverInfo: handlers.serverInfo,
    callLog: createCallLog(log),
    follow: feed.follow,
    presence: startsAlone ? presence : undefined,
  })
  const carriers = createCarriers(worker, { server, sessions, watch: live.changes.watch, options, locked, limits, log })
  return { ...carriers, catalog, sessions, live, tasks, management, feed, onEngineChange }
}

interface Carried extends Pick<Assembly, 'options' | 'locked' | 'limits' | 'log'> {
  readonly server: McpServer
  readonly sessions: Sessions
  readonly watch: Changes['watch']
}

/** What brings requests to the server: the endpoint's function, and a client that has started this process. */
function createCarriers(worker: Worker, { server, sessions, watch, options, locked, limits, log }: Carried) {
  const deadline = createReplyDeadline(worker, { longestMs: limits.replyMs, askTimeoutMs: limits.engineTimeoutMs })
  const known = { server, sessions, limits: { ...limits, timeoutMs: deadline.timeoutMs } }
  const callers = createCallers(known)
  const { answer, streams } = serveHttp(worker, {
    server,
    sessions,
    callers,
    watch,
    door: options,
    locked,
    limits,
    log,
  })
  const handler = toHandler(createBare({ server, callers, locked }), answer)
  const attached = createCallers({ ...known, attached: true })
  const carry = { server, callers: attached, locked, watch, maxLineBytes: limits.bodyBytes }
  return { deadline, streams, handler, carry }
}

function forgetLists({ lists, changes }: ReturnType<typeof createLive>): void {
  lists.forget()
  changes.engineChanged()
}

/** What the endpoint's function does with a request of the engine's HTTP port, and with a message that came by the bus. */
function toHandler(answerBare: AnswerBare, answerHttp: (request: HttpRequest) => Promise<unknown>): Handler {
  return (payload) => {
    const request = readHttpRequest(payload)
    return request === undefined ? answerBare(payload) : answerHttp(request)
  }
}
