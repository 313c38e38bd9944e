import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { StdioCommand } from '../programs.ts'
import { createRelaySession, type RelayedMessage, type RelaySession } from './relay-session.ts'
import { openPipe, type StdioPipe } from './stdio-pipe.ts'

/**
 * The official suite knows servers by their addresses alone. Behind this one there are servers on stdio: a process for each session, and
 * for each request without one as long as it is under way. What the suite hears is what they say.
 */
export interface Relay extends AsyncDisposable {
  readonly mcpUrl: string
  /** What became of processes that ended by themselves, if any. */
  readonly deaths: readonly string[]
}

/** Names of revisions are dates. */
const FIRST_WITHOUT_SESSIONS = '2026-07-28'
/** The suite leaves its sessions behind; of more than so many the one that was used longest ago ends. */
const MAX_SESSIONS = 6

export async function startRelay(command: StdioCommand): Promise<Relay> {
  const { take, takeNew, giveBack, close, closeAll, deaths } = createPool(command)
  const sessions = new Map<string, RelaySession>()

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = JSON.parse(await text(request)) as RelayedMessage
    const { 'mcp-session-id': id, 'mcp-protocol-version': named } = request.headers
    if (typeof id === 'string') return postInSession(id, message, response)
    const isStateless = named !== undefined && String(named) >= FIRST_WITHOUT_SESSIONS
    if (message.method === 'initialize' && !isStateless) return open(message, response)
    if (message.id === undefined) return end(response, 202)
    const pipe = take()
    // A reply that nobody waits for any more would be taken for that of the next request.
    response.on('close', () => (response.writableFinished ? giveBack(pipe) : void close(pipe)))
    createRelaySession(pipe).ask(message, response, isStateless)
  }

  function open(message: RelayedMessage, response: ServerResponse): void {
    const id = randomUUID()
    const session = createRelaySession(takeNew(), { 'mcp-session-id': id })
    sessions.set(id, session)
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MAX_SESSIONS) forget(oldest)
    session.ask(message, response, false)
  }

  function forget(id: string): void {
    const session = sessions.get(id)
    sessions.delete(id)
    if (session !== undefined) void close(session.pipe)
  }

  function postInSession(id: string, message: RelayedMessage, response: ServerResponse): void {
    const session = sessions.get(id)
    // Now it is the one that was used last.
    if (session !== undefined && sessions.delete(id)) sessions.set(id, session)
    if (session === undefined) end(response, 404)
    else if (message.method !== undefined && message.id !== undefined) session.ask(message, response, false)
    else {
      session.tell(message)
      end(response, 202)
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') return post(request, response)
    const id = String(request.headers['mcp-session-id'])
    const session = sessions.get(id)
    if (session === undefined) return end(response, 405)
    if (request.method === 'GET') return session.follow(response)
    forget(id)
    end(response, 204)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => end(response, 400))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    mcpUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    deaths,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, closeAll()])
    },
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

/** The suite gives a change less than a second to be heard of, which is no time to start a process in. */
const SPARES = 5

/** Processes, some of which are ready for whoever comes next. */
function createPool(command: StdioCommand) {
  const all = new Set<StdioPipe>()
  const deaths: string[] = []
  const spares = Array.from({ length: SPARES }, start)
  const used: StdioPipe[] = []

  function start(): StdioPipe {
    const pipe = openPipe(command)
    all.add(pipe)
    void pipe.died.then((death) => deaths.push(death))
    return pipe
  }

  /** One that nobody has spoken with. */
  function takeNew(): StdioPipe {
    spares.push(start())
    return spares.shift() ?? start()
  }

  async function close(pipe: StdioPipe): Promise<void> {
    await pipe.close()
    all.delete(pipe)
  }

  return {
    deaths,
    takeNew,
    /** One that nobody speaks with. */
    take: () => used.pop() ?? takeNew(),
    giveBack: (pipe: StdioPipe) => void used.push(pipe),
    close,
    closeAll: () => Promise.all([...all].map(close)),
  }
}
