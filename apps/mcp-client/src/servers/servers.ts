import { Fault } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { ToolFunction } from '../catalog/received-tool.ts'
import { createEntryNotices } from '../configuration/entry-notices.ts'
import { keepLastGood } from '../configuration/last-good.ts'
import type { GoodEntry, ServerEntry } from '../configuration/server-config.ts'
import { createFunctionSet, type OfferedFunction } from '../functions/function-set.ts'
import type { Pins } from '../pins/pins.ts'
import type { ServerStarter } from './connection.ts'
import { createServer, type Server } from './server.ts'
import type { ServerStatus } from './server-status.ts'
import { createStartGate } from './start-gate.ts'

/** All servers of the file. */
export interface Servers {
  /** Takes over what the file says now. */
  apply(entries: readonly ServerEntry[]): void
  /** Of those that may have functions, until they have ended. */
  readonly names: readonly string[]
  statuses(): ServerStatus[]
  /** @throws Fault `not_found` that names those that there are */
  status(name: string): ServerStatus
  /** @throws Fault `not_found`; `conflict` for one that is not to run */
  restart(name: string): ServerStatus
  /** Whether this process runs them. */
  allow(isAllowed: boolean): void
  setConflicts(owners: ReadonlyMap<string, string>): void
  /** What was approved is something else. */
  judge(): void
  /** Resolves when nobody of them is left. */
  close(): Promise<void>
}

export interface ServersOptions {
  readonly starter: ServerStarter
  readonly pins: Pick<Pins, 'judge'>
  readonly log: Logger
  /** Puts a function of a server on the engine. */
  offer(server: Server, fn: ToolFunction): OfferedFunction
  /** Functions have come, changed or gone. */
  onFunctions(): void
  findConflict(name: string): Promise<string | undefined>
}

export function createServers(options: ServersOptions): Servers {
  const gate = createStartGate(options.starter.clock)
  const servers = new Map<string, Server>()
  const notices = createEntryNotices(options.log)
  let entries: readonly ServerEntry[] = []
  let isAllowed = false

  function create(entry: GoodEntry): Server {
    const log = options.log.child({ server: entry.name })
    const functions = createFunctionSet({
      register: (fn) => options.offer(server, fn),
      onChange: options.onFunctions,
      onProblem: ({ id }, error) => log.warn({ id, reason: String(error) }, 'a function was not registered'),
    })
    const server: Server = createServer({ ...options, entry, gate, functions, log })
    return server
  }

  function take(entry: GoodEntry): void {
    const server = servers.get(entry.name) ?? create(entry)
    servers.set(entry.name, server)
    server.apply(entry)
    server.allow(isAllowed)
  }

  function find(name: string): ServerEntry {
    const entry = entries.find((one) => one.name === name)
    if (entry !== undefined) return entry
    const known = entries.length === 0 ? 'there are none' : `there are ${entries.map((one) => one.name).join(', ')}`
    throw new Fault('not_found', `No server '${name}' is in the configuration file; ${known}`)
  }

  const toStatus = (entry: ServerEntry): ServerStatus => {
    const server = 'config' in entry ? servers.get(entry.name) : undefined
    return server?.status() ?? toMalformed(entry)
  }

  return {
    apply(next) {
      entries = keepLastGood(entries, next)
      notices.tell(entries)
      const good = entries.filter((entry) => 'config' in entry)
      for (const entry of good) take(entry)
      const names = new Set(good.map(({ name }) => name))
      for (const name of servers.keys()) if (!names.has(name)) drop(servers, name)
    },
    get names() {
      return [...servers.keys()]
    },
    statuses: () => entries.map(toStatus).map(toShort),
    status: (name) => toStatus(find(name)),
    restart(name) {
      const entry = find(name)
      const status = toStatus(entry)
      if (['untrusted', 'disabled', 'malformed', 'stopped'].includes(status.state)) {
        const why = status.diagnostics.map(({ message }) => message).join('; ')
        throw new Fault('conflict', `The server '${name}' is ${status.state} and is not started. ${why}`.trim())
      }
      servers.get(name)?.restart()
      return toStatus(entry)
    },
    allow(value) {
      isAllowed = value
      for (const entry of entries) if ('config' in entry) servers.get(entry.name)?.allow(value)
    },
    setConflicts(owners) {
      for (const [name, server] of servers) server.setConflict(owners.get(name))
    },
    judge() {
      for (const server of servers.values()) server.judge()
    },
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()))
    },
  }
}

/** One that comes back must not meet the process that it left behind, so it is forgotten when that has gone: at the next change. */
function drop(servers: Map<string, Server>, name: string): void {
  const server = servers.get(name)
  if (server?.status().state !== 'stopped') {
    server?.retire()
    return
  }
  servers.delete(name)
  void server.close()
}

/** Of all that stderr had, in what is told of many servers at once. */
const LAST_LINES = 5

/** What is large is told of one server alone: an engine takes no answer that is larger than its messages may be. */
function toShort(status: ServerStatus): ServerStatus {
  return { ...status, pending: [], stderr: status.stderr.slice(-LAST_LINES) }
}

const startedAt = new Date().toISOString()

function toMalformed(entry: ServerEntry): ServerStatus {
  const diagnostics = 'problems' in entry ? entry.problems : []
  const none = { pid: undefined, server: undefined, tools: [], counts: {}, failures: 0, nextTry: undefined, stderr: [] }
  return { name: entry.name, state: 'malformed', since: startedAt, diagnostics, ...none }
}
