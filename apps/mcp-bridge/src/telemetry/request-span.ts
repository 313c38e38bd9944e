import { randomFillSync } from 'node:crypto'
import { CALL_TOOL_NAME, isManagementToolName, isRecord, type JsonObject, SEARCH_TOOL_NAME } from '@iii/protocol'
import type { CallTrace, GateDecision, RequestTrace } from '../mcp/call-trace.ts'
import type { MeasuredRequest } from '../mcp/contract.ts'
import { type McpResult, RPC } from '../mcp/rpc.ts'
import type { Attributes, Span } from './otlp.ts'
import type { Sampler } from './sampler.ts'
import { formatTraceparent, parseTraceparent, parseTracestate, type SpanContext } from './trace-context.ts'

/** What is told of a request beside what always is: both may say more of people than an operator wants to keep. */
export const OPTIONAL_ATTRIBUTES = ['enduser.id', 'mcp.resource.uri'] as const
export type OptionalAttribute = (typeof OPTIONAL_ATTRIBUTES)[number]

export interface RequestSpanOptions {
  /** Undefined where no spans are sent. */
  readonly sampler: Sampler | undefined
  readonly extra: readonly OptionalAttribute[]
  /** Told of each span that is kept. */
  readonly onSpan: (span: Span) => void
  /** Told of each request. @param ms how long it took @param labels few values each, whatever clients send */
  readonly onEnd: (ms: number, labels: Attributes) => void
  readonly onDecision: (decision: GateDecision) => void
  /** It was refused because too much runs. */
  readonly onOverloaded: () => void
  readonly onTask: (outcome: string) => void
}

/** In the place of what only a client has thought of. */
export const OTHER = '_OTHER'
const MAX_NAME_LENGTH = 128

/** Measures one request: a span of kind SERVER, as the conventions of OpenTelemetry for MCP have it. */
export function createRequestSpan(request: MeasuredRequest, options: RequestSpanOptions): RequestTrace {
  const startedAt = Date.now()
  const start = performance.now()
  const context = options.sampler && toContext(request, options.sampler)
  const facts: Facts = {}
  const end = (error: string | undefined) => {
    const ms = performance.now() - start
    const failure = request.call.signal.aborted ? 'given_up' : error
    options.onEnd(ms, toLabels(request, facts, failure))
    if (context?.own.isSampled !== true) return
    options.onSpan({
      name: toSpanName(request, facts),
      context: context.own,
      parentId: context.parent?.spanId,
      state: context.state,
      links: context.links,
      startedAt,
      ms,
      attributes: toAttributes(request, facts, { failure, extra: options.extra }),
      isError: failure !== undefined,
    })
  }
  return {
    ...toListener(facts, options, context && formatTraceparent(context.own)),
    answered(result) {
      facts.isAnswered = true
      end(isError(result) ? 'tool_error' : undefined)
    },
    refused({ code }) {
      facts.code = code
      if (code === RPC.overloaded) options.onOverloaded()
      end(String(code))
    },
  }
}

interface Facts {
  functionId?: string
  isAnswered?: boolean
  /** Of JSON-RPC. */
  code?: number
}

function toListener(facts: Facts, { onDecision, onTask }: RequestSpanOptions, traceparent: string | undefined) {
  const begun = traceparent === undefined ? {} : { traceparent }
  const listener: CallTrace = {
    ...begun,
    leadsTo(_, decision) {
      onDecision(decision)
      if (decision.allowed) facts.functionId = decision.functionId
    },
    invoked() {},
    failed() {},
    // The request is over, and with it its span; what the task calls belongs to it all the same.
    task: () => ({ ...listener, leadsTo() {}, ended: onTask }),
  }
  return listener
}

interface Context {
  readonly own: SpanContext
  readonly parent: SpanContext | undefined
  readonly state: string | undefined
  readonly links: readonly SpanContext[]
}

const pool = Buffer.alloc(4_096)
let taken = pool.length

/** Random bytes are drawn many at once: each draw takes longer than all else of a span. */
function toRandomId(bytes: number): string {
  if (taken + bytes > pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += bytes
  return pool.toString('hex', taken - bytes, taken)
}

/** What the request says counts before what its transport says, which is then a link. */
function toContext({ params, call }: MeasuredRequest, sampler: Sampler): Context {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  const said = parseTraceparent(meta['traceparent'])
  const carried = parseTraceparent(call.traceparent)
  const parent = said ?? carried
  const links = said !== undefined && carried !== undefined && said.spanId !== carried.spanId ? [carried] : []
  const traceId = parent?.traceId ?? toRandomId(16)
  const own = { traceId, spanId: toRandomId(8), isSampled: sampler(traceId, parent) }
  return { own, parent, state: said && parseTracestate(meta['tracestate']), links }
}

/** The tool or prompt, as far as it is none that only the client has thought of; undefined for methods without one. */
function toKnownName({ kind, name }: MeasuredRequest, { functionId, isAnswered }: Facts): string | undefined {
  if (name === undefined || (kind !== 'tool' && kind !== 'prompt')) return undefined
  const isOwn = isAnswered === true && (kind === 'prompt' || name === SEARCH_TOOL_NAME || name === CALL_TOOL_NAME)
  const isKnown = functionId !== undefined || isOwn || (kind === 'tool' && isManagementToolName(name))
  return isKnown ? toShort(name) : OTHER
}

function toMethod({ method, isKnown }: MeasuredRequest): string {
  return isKnown ? method : OTHER
}

function toSpanName(request: MeasuredRequest, facts: Facts): string {
  const name = toKnownName(request, facts)
  return name === undefined || name === OTHER ? toMethod(request) : `${request.method} ${name}`
}

const KNOWN_CODES: ReadonlySet<string> = new Set(Object.values(RPC).map(String))

function toLabels(request: MeasuredRequest, facts: Facts, failure: string | undefined): Attributes {
  const { kind, call } = request
  const name = toKnownName(request, facts)
  const isOwnWord = failure === undefined || facts.code === undefined || KNOWN_CODES.has(failure)
  return {
    'mcp.method.name': toMethod(request),
    'gen_ai.tool.name': kind === 'tool' ? name : undefined,
    'gen_ai.prompt.name': kind === 'prompt' ? name : undefined,
    // A function may answer with a code of its own.
    'error.type': isOwnWord || failure === 'given_up' ? failure : OTHER,
    'mcp.protocol.version': call.revision,
    'network.transport': toTransport(request),
  }
}

function toTransport({ call }: MeasuredRequest): string {
  return call.attached ? 'pipe' : 'tcp'
}

interface Told {
  readonly failure: string | undefined
  readonly extra: readonly OptionalAttribute[]
}

function toAttributes(request: MeasuredRequest, facts: Facts, { failure, extra }: Told): Attributes {
  const { kind, name, call } = request
  const shown = name === undefined ? undefined : toShort(name)
  return {
    'mcp.method.name': toShort(request.method),
    'mcp.protocol.version': call.revision,
    'mcp.session.id': call.session?.handle,
    'gen_ai.tool.name': kind === 'tool' ? shown : undefined,
    'gen_ai.operation.name': kind === 'tool' ? 'execute_tool' : undefined,
    'gen_ai.prompt.name': kind === 'prompt' ? shown : undefined,
    'mcp.resource.uri': kind === 'section' && extra.includes('mcp.resource.uri') ? name : undefined,
    'jsonrpc.request.id': String(call.id),
    'rpc.response.status_code': facts.code === undefined ? undefined : String(facts.code),
    'error.type': failure,
    'network.transport': toTransport(request),
    'iii.function.id': facts.functionId,
    'iii.mcp.via': request.via,
    'iii.mcp.era': call.era,
    'enduser.id': extra.includes('enduser.id') ? call.principal.id : undefined,
  }
}

function toShort(text: string): string {
  return text.slice(0, MAX_NAME_LENGTH).toWellFormed()
}

function isError(result: McpResult): boolean {
  return (result as JsonObject)['isError'] === true
}
