import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Listening, listen } from '../listen.ts'
import { addPreflight } from './cors.ts'
import { allowList, methodNotAllowed, notFound } from './envelopes.ts'
import { type ExchangeDeps, respond, serve } from './exchange.ts'
import { createHeaderList } from './head.ts'
import { toTarget } from './request.ts'
import type { Routes } from './routes.ts'
import { answerUnreadable } from './unreadable.ts'

/** More header lines than this are refused. */
const MAX_HEADERS = 100
/** The most bytes a request head may have. */
const MAX_HEAD_BYTES = 400_000

/** Opens the port that http bindings are served on. */
export async function openHttpPort(deps: ExchangeDeps, routes: Routes): Promise<Listening> {
  const server = createServer({
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    noDelay: true,
  })
  server.maxHeadersCount = 0
  server.on('request', (request, response) => handle(deps, routes, request, response))
  server.on('clientError', (error, socket) =>
    answerUnreadable(
      error,
      socket,
      (method, path) => {
        const found = routes.find(method, path)
        return found ? methodNotAllowed('methods' in found ? found.methods : []) : notFound()
      },
      deps.settings,
    ),
  )
  return await listen(server, deps.settings.port, deps.settings.host, 'http')
}

function handle(deps: ExchangeDeps, routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => {})
  request.on('error', () => {})
  const target = toTarget(request.url ?? '/')
  const found = routes.find(request.method ?? 'GET', target.path)
  if (request.rawHeaders.length > 2 * MAX_HEADERS) response.writeHead(431, { 'content-length': 0 }).end()
  else if (found && 'route' in found && request.method !== 'OPTIONS') serve(deps, request, response, target, found)
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
  response.writeHead(200, headers.toRaw()).end()
}
