import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Bus } from '../bus/bus.ts'
import { type Channel, type Channels, channelRef } from '../channels/channels.ts'
import type { Faults } from '../faults/faults.ts'
import { objectText } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { CallResult, TraceContext } from '../wire/outgoing.ts'
import { childTrace } from '../wire/trace-context.ts'
import { addCors } from './cors.ts'
import { conditionNotMet, failed } from './error-replies.ts'
import type { HttpSettings } from './http-settings.ts'
import { runMiddleware } from './middleware.ts'
import {
  firstHeader,
  isJsonRequest,
  parseBody,
  pipeBody,
  type RequestTarget,
  readRequestBody,
  requestMembers,
} from './request.ts'
import { createResponder, type Responder } from './responder.ts'
import { createResponseSink } from './response-stream.ts'
import { toReply } from './return-value.ts'
import type { HttpRoute, Routed } from './routes.ts'
import { STATUS } from './statuses.ts'

/** What serving a request needs. */
export interface ExchangeDeps {
  readonly bus: Bus
  readonly channels: Channels
  readonly settings: HttpSettings
  readonly faults: Faults
}

/** Makes the response of a request, with the cross-origin headers of this engine. */
export function respond({ settings }: ExchangeDeps, request: IncomingMessage, response: ServerResponse): Responder {
  return createResponder(response, (headers) => addCors(headers, settings.cors, request.headers.origin))
}

/**
 * Serves one request on its route: middleware, body, condition, route middleware, handler. Until the response head is
 * out, the time limit applies; the handler is never told of it, nor of a client that leaves.
 */
export function serveRequest(
  deps: ExchangeDeps,
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
  { route, params }: Routed,
): void {
  const responder = respond(deps, request, response)
  const timer = setTimeout(() => responder.bare(STATUS.timeout), deps.settings.timeoutMs)
  response.once('close', () => clearTimeout(timer))
  const stop = () => clearTimeout(timer)
  run(deps, request, responder, requestMembers(request, target, route, params), route, stop).catch((error: unknown) => {
    // Only a bug gets here; the client sees the same envelope as for a failing handler.
    responder.reply(failed({ code: 'INTERNAL_ERROR', message: String(error) }))
  })
}

async function run(
  { bus, channels, settings }: ExchangeDeps,
  request: IncomingMessage,
  responder: Responder,
  members: Record<string, JsonText>,
  route: HttpRoute,
  stopTimer: () => void,
): Promise<void> {
  const trace = traceOf(request)
  const { namespace } = route
  const early = await runMiddleware(bus, settings.middleware, namespace, members, trace)
  if (early) return responder.reply(early)
  const body = channels.create()
  const reply = channels.create()
  const seen = { ...members, body: await takeBody(request, body) }
  if (responder.settled) return
  if (route.conditionId !== undefined) {
    const condition = { functionId: route.conditionId, namespace, data: objectText(seen), trace }
    const { result, error } = await bus.calls.ask(condition)
    if (error) return responder.reply(failed(error))
    if (result === 'false') return responder.reply(conditionNotMet())
  }
  const refused = await runMiddleware(bus, route.middlewareIds, namespace, members, trace)
  if (refused) return responder.reply(refused)

  const begun = () => {
    stopTimer()
    // A body whose channel has no reader is thrown away as it arrives.
    if (body.claim('read')) body.pipe.abandon()
    channels.drop(body)
    channels.drop(reply)
  }
  reply.pipe.setSink(createResponseSink(responder, begun))
  const data = objectText({
    ...seen,
    request_body: channelRef(body, 'read'),
    response: channelRef(reply, 'write'),
  })
  const { functionId, metadata } = route
  bus.calls.start({ functionId, namespace, data, metadata, trace }, (outcome) => {
    if (responder.settled || (!outcome.error && outcome.result === undefined)) return
    begun()
    reply.pipe.abandon()
    answer(responder, outcome)
  })
}

/** A request is a step of the trace it comes with. */
function traceOf(request: IncomingMessage): TraceContext {
  return childTrace({ traceparent: firstHeader(request, 'traceparent'), baggage: firstHeader(request, 'baggage') })
}

function answer(responder: Responder, { error, result }: CallResult): void {
  responder.reply(error ? failed(error) : toReply(result ?? '{}'))
}

/** A JSON body is read whole before anybody is asked; any other goes to its channel as it comes. */
async function takeBody(request: IncomingMessage, { pipe }: Channel): Promise<JsonText> {
  if (!isJsonRequest(request)) {
    pipeBody(request, pipe)
    return 'null'
  }
  const bytes = await readRequestBody(request)
  if (bytes.length > 0) pipe.write({ data: bytes, binary: true })
  pipe.end()
  return parseBody(bytes)
}
