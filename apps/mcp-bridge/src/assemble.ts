import type { Logger, Worker } from '@iii/sdk'
import type { Authentication } from './auth/authentication.ts'
import { type RecordDenial, tellDenials } from './auth/denied-access.ts'
import type { Principal } from './auth/principal.ts'
import { createBare } from './bare.ts'
import { serveCallFeed } from './call-feed/index.ts'
import type { Changes } from './changes/index.ts'
import { createLive } from './changes/live.ts'
import { createDirectory } from './gate/directory.ts'
import { createGate } from './gate/index.ts'
import { createSight, readKey } from './gate/sight.ts'
import { createEngineTimeout } from './http/engine-timeout.ts'
import { createHealthWatch } from './http/health.ts'
import { serveHttp } from './http/index.ts'
import { createInvoker } from './invocation/index.ts'
import { createSlots } from './invocation/slots.ts'
import { createManagement, type WorkerHost } from './management/index.ts'
import { createAudit } from './mcp/audit.ts'
import type { ListKind } from './mcp/call.ts'
import { createCallLog } from './mcp/call-log.ts'
import type { McpServer } from './mcp/contract.ts'
import type { BridgeLimits } from './mcp/limits.ts'
import { requireTurn } from './mcp/require-principal.ts'
import type { BridgeOptions } from './options.ts'
import { createCannedPrompts } from './prompts/canned/index.ts'
import { createCompletion } from './prompts/completion.ts'
import { createMcpPrompts } from './prompts/index.ts'
import { createSkillMethods } from './resources/agent-skills.ts'
import { createDeclaredResources } from './resources/declared/index.ts'
import { createEngineResources } from './resources/engine/index.ts'
import { createMcpResources } from './resources/index.ts'
import { createRegistryClient } from './resources/registry.ts'
import { createEnginePresence } from './server/engine-presence.ts'
import { createMcpServer, type McpServerOptions } from './server/index.ts'
import { createInstructions } from './server/instructions.ts'
import { createMethods, type Handlers } from './server/methods.ts'
import { createCallers } from './sessions/callers.ts'
import { createSessions, type Sessions } from './sessions/index.ts'
import { createSeal } from './sessions/request-state-seal.ts'
import { createSessionStore } from './sessions/store.ts'
import { serveTasks } from './tasks/index.ts'
import { createTelemetry, type TelemetryEnvironment } from './telemetry/index.ts'
import { createCatalog } from './tools/catalog/index.ts'
import { createTools } from './tools/index.ts'
import type { OnSearch } from './tools/search/index.ts'

export interface Assembly {
  readonly options: () => BridgeOptions
  /** Why nobody is answered: the settings cannot be used. */
  readonly locked: () => string | undefined
  /** Why nobody is answered over HTTP, and no worker, though the settings can be used. */
  readonly shut: () => string | undefined
  /** Why nobody is answered over HTTP, and no worker: one or the other. */
  readonly closed: () => string | undefined
  /** What callers over HTTP, and workers, wait for until that is known; undefined while it is. */
  readonly pending: () => Promise<void> | undefined
  readonly via: string
  readonly version: string
  readonly limits: BridgeLimits
  /** Are there clients before there is an engine? */
  readonly startsAlone: boolean
  readonly host: WorkerHost
  readonly telemetry: TelemetryEnvironment
  readonly auth: Authentication
  readonly log: Logger
}

/** Handlers, method table and carriers, put together. */
export function assemble(worker: Worker, assembly: Assembly) {
  const { options, via, version, limits, startsAlone, host, log } = assembly
  const sight = createSight(worker.namespace, () => options().namespaces)
  const directory = createDirectory(worker, limits.engineTimeoutMs, sight, limits.functionListMs)
  const catalog = createCatalog({
    directory,
    rules: options,
    sight,
    schemaForm: () => ({ inlineAll: options().inlineRefs, outputSchemas: options().outputSchemas === 'on' }),
    log,
    onChange: () => live.changes.toolsChanged(0), // The look that found it came after the burst.
    onDeclaredChange: () => forgetLists(live),
    onLook(rows) {
      presence.looked()
      health.saw(rows)
      live.changes.functionsSeen(rows)
    },
    isWatched: () => live.changes.isWatched(),
  })
  const gate = createGate({ engine: worker, directory, own: sight.own, rules: options, onLearned: catalog.learn })
  const registry = createRegistryClient(worker)
  const store = createSessionStore(worker, limits.engineTimeoutMs)
  const sessions = createSessions({ store, log, onEnd: (ms) => telemetry.sessionEnded(ms) })
  const { fingerprints } = sessions
  const slots = createSlots(limits.callsAtOnce, (principal) => assembly.auth.limitsOf(principal).concurrent)
  const seal = createSeal(sessions.keys)
  const invoker = createInvoker({ worker, gate, via, slots, seal, log, options })
  const declared = createDeclaredResources({ catalog, log })
  const [isOn, timeoutMs] = [() => !options().noBuiltins, limits.engineTimeoutMs]
  const known = { directory, catalog, gate, rules: options }
  const engine = createEngineResources({ engine: worker, ...known, isOn, version, timeoutMs })
  const resources = createMcpResources({ registry, declared, engine, gate, invoker, catalog })
  const canned = createCannedPrompts({ isOn, rules: options, functionIds: engine.functionIds })
  const prompts = createMcpPrompts({ registry, canned, gate, invoker, own: worker.namespace, timeoutMs })
  const told = { worker, ...known, declared, prompts, resources, engine, sessions, auth: assembly.auth }
  const live = createLive({ ...told, tools: () => handlers.tools, ...limits })
  const onEngineChange = () => {
    gate.forget()
    feed.onEngineChange()
    engine.forget()
    catalog.invalidate()
    forgetLists(live)
  }
  const limitOf = (principal: Principal) => assembly.auth.limitsOf(principal).tasks
  const tasks = serveTasks({ worker, directory, invoker, fingerprints, via, log, options, limitOf, ...limits })
  const onLate = (kinds: readonly ListKind[]) => kinds.forEach(live.changes.owed)
  const presence = createEnginePresence({ worker, onLate })
  const management = createManagement({ worker, gate, sight, slots, options, host, timeoutMs, onEngineChange, log })
  const onSearch: OnSearch = (...told) => telemetry.searched(...told)
  const handlers: Handlers = {
    tools: createTools({ catalog, gate, invoker, tasks, resources, management, options, onSearch }),
    tasks,
    resources,
    agentSkills: createSkillMethods({ registry, seal }),
    prompts,
    completion: createCompletion({ prompts, canned, resources, engine, declared, gate, invoker }),
    ...live,
    serverInfo: { name: 'iii-mcp', title: 'iii engine', version },
    instructions: createInstructions(catalog, isOn, live.lists.brief),
  }
  const { health, feed, telemetry, auth, denied, seen } = createTelling(worker, assembly)
  const server = toServer(handlers, { ...seen, presence: startsAlone ? presence : undefined })
  const carriers = createCarriers(worker, { ...assembly, auth, denied, server, sessions, watch: live.changes.watch })
  telemetry.watchStreams(() => carriers.streams.count)
  return { ...carriers, health, catalog, sessions, live, tasks, management, feed, telemetry, onEngineChange }
}

/** What is told of requests: in the log, to whoever is bound to calls, to a collector; and how this process is, to probes. */
function createTelling(worker: Worker, assembly: Assembly) {
  const { options, locked, shut, via, version, limits, log, telemetry: environment, auth } = assembly
  const health = createHealthWatch({ locked, shut, rules: options })
  const { instance } = worker
  const feed = serveCallFeed({
    ...{ worker, via, timeoutMs: limits.engineTimeoutMs, log },
    onDropped: (count) => telemetry.count('iii.mcp.audit.dropped', {}, count),
  })
  const telemetry = createTelemetry({ environment, options, version, instance, log })
  const audit = createAudit({ callLog: () => callLog, options })
  const callLog = createCallLog({ log, options, boot: instance, readKey, count: audit.count, feed: feed.calls })
  const denied: RecordDenial = (what) => {
    audit.denied(what)
    telemetry.denied(what)
  }
  const seen = { follow: callLog.follow, count: audit.count, meter: telemetry.meter }
  const close = () => {
    audit.close()
    return telemetry.close()
  }
  return { health, feed, telemetry: { ...telemetry, close }, auth: tellDenials(auth, denied), denied, seen }
}

function toServer(
  handlers: Handlers,
  seen: Pick<McpServerOptions, 'follow' | 'count' | 'meter' | 'presence'>,
): McpServer {
  return createMcpServer({ methods: createMethods(handlers), serverInfo: handlers.serverInfo, ...seen })
}

interface Carried extends Pick<Assembly, 'options' | 'locked' | 'closed' | 'pending' | 'limits' | 'auth' | 'log'> {
  readonly server: McpServer
  readonly sessions: Sessions
  readonly denied: RecordDenial
  readonly watch: Changes['watch']
}

/** What brings requests to the server: the endpoint's function, and a client that has started this process. */
function createCarriers(
  worker: Worker,
  { server, sessions, watch, options, locked, closed, pending, limits, auth, denied, log }: Carried,
) {
  const deadline = createEngineTimeout(worker, { longestMs: limits.replyMs, askTimeoutMs: limits.engineTimeoutMs })
  const known = { server, sessions, deadline, limits }
  const callers = createCallers(known)
  const principal = () => requireTurn(auth, auth.admitBus())
  const answerBare = createBare({ server, callers, principal, closed })
  const answered = { server, sessions, callers, answerBare, watch, limits, log }
  const carried = { ...answered, door: options, auth, denied, pending, closed }
  const attached = createCallers({ ...known, attached: true })
  // Whoever started this process is not one of those who would have to be asked.
  const carry = { server, callers: attached, closed: locked, watch, maxLineBytes: limits.bodyBytes }
  const client = () => requireTurn(auth, auth.admitAttached())
  return { deadline, ...serveHttp(worker, carried), carry: { ...carry, principal: client } }
}

function forgetLists({ lists, changes }: ReturnType<typeof createLive>): void {
  lists.forget()
  changes.engineChanged()
}
