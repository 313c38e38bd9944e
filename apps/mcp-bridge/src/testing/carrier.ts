import { createLog, type Logger, registerWorker, type Worker } from '@iii/sdk'
import { createAuthentication } from '../auth/authentication.ts'
import type { Watcher } from '../changes/index.ts'
import { createEndpointRoute } from '../http/endpoint-route.ts'
import { serveHttp } from '../http/index.ts'
import type { EventStreams } from '../http/streams.ts'
import { parseApiPath } from '../mcp/api-path.ts'
import { BRIDGE_LIMITS, type BridgeLimits } from '../mcp/limits.ts'
import { createCallers } from '../sessions/callers.ts'
import { createSessions, type Sessions } from '../sessions/index.ts'
import { createSessionStore, WATCHED_SCOPES } from '../sessions/store.ts'
import { createMethodTable, type TestMethod } from './method-table.ts'

/** The HTTP side of a bridge over methods of the test's own. */
export interface TestCarrier extends AsyncDisposable {
  readonly url: string
  readonly worker: Worker
  readonly streams: EventStreams
  readonly sessions: Sessions
  /** Who wants to hear of changes at the moment. */
  readonly watchers: ReadonlySet<Watcher>
  /** Stops the HTTP side, as a bridge does that is told to stop. */
  close(): Promise<void>
}

export interface CarrierSetup {
  readonly limits?: Partial<BridgeLimits>
  /** How sessions are kept, beside where. */
  readonly sessions?: Partial<Parameters<typeof createSessions>[0]>
  readonly apiPath?: string
  readonly log?: Logger
}

/** Puts it on an engine; it is ready when this resolves. */
export async function startCarrier(
  engine: { readonly url: string; readonly httpUrl: string },
  methods: Readonly<Record<string, TestMethod>>,
  {
    limits: own = {},
    sessions: kept,
    apiPath = '/mcp',
    log = createLog({ name: 'mcp', level: 'silent' }),
  }: CarrierSetup = {},
): Promise<TestCarrier> {
  const limits = { ...BRIDGE_LIMITS, ...own }
  const worker = registerWorker(engine.url, { name: 'mcp', log })
  const sessions = createSessions({ store: createSessionStore(worker, 2_000), log, ...kept })
  const watchers = new Set<Watcher>()
  const watch = (watcher: Watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }
  const server = createMethodTable(methods)
  const callers = createCallers({ server, sessions, deadline: { timeoutMs: limits.replyMs }, limits })
  const { handler, streams } = serveHttp(worker, {
    server,
    sessions,
    callers,
    answerBare: async () => null,
    pending: () => undefined,
    watch,
    door: () => ({ allowedHosts: [], allowedOrigins: [] }),
    auth: createAuthentication({ settings: () => undefined }),
    denied: () => undefined,
    closed: () => undefined,
    limits,
    queueBytes: 1024 * 1024,
    graceMs: 50,
    log,
  })
  createEndpointRoute(worker, handler, limits.bodyBytes).serve(parseApiPath(apiPath))
  followStore(worker, sessions)
  await worker.ready()
  await sessions.load()
  return {
    url: `${engine.httpUrl}${apiPath}`,
    worker,
    streams,
    sessions,
    watchers,
    close: () => streams.close(),
    async [Symbol.asyncDispose]() {
      await sessions.close()
      await streams.close()
      await worker.shutdown()
    },
  }
}

function followStore(worker: Worker, sessions: Sessions): void {
  for (const scope of WATCHED_SCOPES) {
    const id = `mcp::${worker.instance}::on-${scope}`
    worker.registerFunction(id, (event: unknown) => {
      sessions.observe(scope, event)
      return {}
    })
    worker.registerTrigger({ type: 'state', function_id: id, config: { scope } })
  }
}
