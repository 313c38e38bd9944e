import { createLog } from '@iii/sdk'
import { EVERYBODY } from '../auth/principal.ts'
import type { Watcher } from '../changes/index.ts'
import { createCallers } from '../sessions/callers.ts'
import type { Sessions } from '../sessions/index.ts'
import { type StdioOptions, type StdioServer, serveStdio } from '../stdio/index.ts'
import { createMethodTable, type TestMethod } from './method-table.ts'
import { createStdioClient, type StdioClient } from './stdio-client.ts'

/** The stdio side of a bridge over methods of the test's own, and the client at its other end. */
export interface StdioStage extends StdioClient {
  readonly server: StdioServer
  /** Who wants to hear of changes at the moment. */
  readonly watchers: ReadonlySet<Watcher>
}

const LIMITS = { replyBytes: 1e6, streamMs: 300_000 }
/** Nothing that comes over stdio has a session id. */
const NO_SESSIONS = {} as Sessions

export function startStdioStage(
  methods: Readonly<Record<string, TestMethod>>,
  options: Partial<StdioOptions> = {},
): StdioStage {
  const client = createStdioClient()
  const watchers = new Set<Watcher>()
  const table = createMethodTable(methods)
  const server = serveStdio({
    server: table,
    callers: createCallers({ server: table, sessions: NO_SESSIONS, deadline: { timeoutMs: 25_000 }, limits: LIMITS }),
    principal: () => EVERYBODY,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    closed: () => undefined,
    streams: client.streams,
    maxLineBytes: 100_000,
    log: createLog({ name: 'mcp', level: 'silent' }),
    ...options,
  })
  return { ...client, server, watchers }
}
