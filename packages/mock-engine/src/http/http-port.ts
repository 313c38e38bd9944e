import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Listening, listen } from '../listen.ts'
import { addPreflight } from './cors.ts'
import { allowList, methodNotAllowed, notFound } from './error-replies.ts'
import { type ExchangeDeps, respond, serveRequest } from './exchange.ts'
import { createHeaderList } from './header-list.ts'
import { isReadableTarget, type RequestTarget, toRequestTarget } from './request.ts'
import type { HttpRoutes, RouteMatch } from './routes.ts'
import { STATUS } from './statuses.ts'
import { answerUnreadable, type ParseError, sendRaw } from './unreadable.ts'

/** More header lines than this are refused. */
const MAX_HEADERS = 100
/** The most bytes a request head may have. */
const MAX_HEAD_BYTES = 400_000

/** The most bytes the target of a request may have. */
const MAX_TARGET_BYTES = 65_534

/** The port that http bindings are served on. */
export interface HttpPort extends Listening {
  /** Stops listening, and cuts who is connected. */
  refuse(): void
  /** Listens again, if it does not. @throws PortTakenError */
  accept(): Promise<void>
}

/** Opens the port that http bindings are served on. */
export async function openHttpPort(deps: ExchangeDeps, routes: HttpRoutes): Promise<HttpPort> {
  const server = createServer({
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    noDelay: true,
  })
  server.maxHeadersCount = 0
  const inTurn = createTurns()
  const take = (request: IncomingMessage, response: ServerResponse) => {
    inTurn.began(response)
    takeUp(deps, routes, request, response)
  }
  server.on('request', take)
  // Other expectations mean nothing. A client without a body is not told to go on, nor is one that expects more.
  server.on('checkExpectation', take)
  server.on('checkContinue', (request, response) => {
    if (hasBody(request) && request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
    take(request, response)
  })
  const answerUnknown = (method: string, path: string) => {
    const found = routes.find(method, path)
    return found ? methodNotAllowed('methods' in found ? found.methods : []) : notFound()
  }
  server.on('clientError', (error: ParseError, socket) => {
    // What follows a request that closes the connection is not read.
    if (error.code !== 'HPE_CLOSED_CONNECTION')
      inTurn.after(socket, () => answerUnreadable(error, socket, answerUnknown, deps.settings))
  })
  server.on('connect', ({ url = '/' }, socket) =>
    sendRaw(socket, answerUnknown('CONNECT', toRequestTarget(url).path), deps.settings),
  )
  const { host } = deps.settings
  const { port, stop } = await listen(server, deps.settings.port, host, 'http')
  return {
    port,
    stop,
    refuse() {
      server.close()
      server.closeAllConnections()
    },
    async accept() {
      if (!server.listening) await listen(server, port, host, 'http')
    },
  }
}

/** What cannot be read is answered behind what was read before it on the same connection. */
function createTurns() {
  const last = new WeakMap<Duplex, ServerResponse>()
  const waiting = new WeakSet<Duplex>()
  return {
    began(response: ServerResponse): void {
      last.set(response.req.socket, response)
    },
    after(socket: Duplex, answer: () => void): void {
      const response = last.get(socket)
      // Of a body that cannot be read nothing is waited for.
      if (response === undefined || response.closed || !response.req.complete) answer()
      else if (!waiting.has(socket)) response.once('close', answer)
      waiting.add(socket)
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function takeUp(deps: ExchangeDeps, routes: HttpRoutes, request: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => {})
  request.on('error', () => {})
  // Who keeps the connection is not told so.
  if (response.shouldKeepAlive) response.removeHeader('connection')
  const target = toRequestTarget(request.url ?? '/')
  if ((request.url ?? '/').length > MAX_TARGET_BYTES) {
    response.writeHead(STATUS.targetTooLong, { connection: 'close', 'content-length': 0 }).end()
    return
  }
  if (!isReadableTarget(target) || !['1.0', '1.1'].includes(request.httpVersion)) {
    response.writeHead(STATUS.unreadable, { connection: 'close', 'content-length': 0 }).end()
    return
  }
  const found = routes.find(request.method ?? 'GET', target.path)
  const delayMs = deps.faults.requestDelay(found && 'route' in found ? found.route.functionId : undefined)
  if (delayMs > 0) setTimeout(handle, delayMs, deps, request, response, target, found)
  else handle(deps, request, response, target, found)
}

function handle(
  deps: ExchangeDeps,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  found: RouteMatch | undefined,
): void {
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    response.writeHead(STATUS.headersTooLarge, { 'content-length': 0 }).end()
  else if (found && 'route' in found && request.method !== 'OPTIONS')
    serveRequest(deps, request, response, target, found)
  else answerUnrouted(deps, request, response, found && 'methods' in found ? found.methods : [])
}

/** @param methods - those that the path has. */
function answerUnrouted(
  deps: ExchangeDeps,
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
): void {
  request.resume()
  if (request.method === 'OPTIONS') {
    preflight(deps, request, response, methods)
    return
  }
  // The head of a GET route is asked for in vain.
  const missing = methods.length === 0 || (request.method === 'HEAD' && methods.includes('GET'))
  respond(deps, request, response).reply(missing ? notFound() : methodNotAllowed(methods))
}

function preflight(
  { settings }: ExchangeDeps,
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
): void {
  const headers = createHeaderList()
  addPreflight(headers, settings.cors, request.headers.origin)
  if (methods.length > 0) headers.set('allow', allowList(methods))
  headers.set('content-length', '0')
  response.writeHead(STATUS.preflight, headers.toRaw()).end()
}
