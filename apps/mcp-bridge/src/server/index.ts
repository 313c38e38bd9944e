import { isRecord, type JsonObject, toToolError } from '@iii/protocol'
import { type Era, type McpCall, toClient } from '../mcp/call.ts'
import { joinTraces, type RequestTrace } from '../mcp/call-trace.ts'
import type { McpServer, MeasuredRequest, Meter, UnwrappedCall } from '../mcp/contract.ts'
import type { CallKind, FollowedCall } from '../mcp/ended-call.ts'
import { META, negotiateRevision } from '../mcp/era.ts'
import { toMcpCall } from '../mcp/exchange.ts'
import type { Params } from '../mcp/params.ts'
import { type McpResult, RPC, RpcError, readyMembers, toRpcError } from '../mcp/rpc.ts'
import type { EnginePresence, WhileAway } from './engine-presence.ts'

/** Who answers. */
export type ServerInfo = Readonly<Record<'name' | 'title' | 'version', string>>

/** A row of the method table. */
export interface Method {
  readonly run: (params: JsonObject, call: McpCall) => McpResult | Promise<McpResult>
  /** What it does while the engine is away, which only a client that has started this process can see. */
  readonly away: WhileAway
  /** Where it exists. @default all eras */
  readonly eras?: readonly Era[]
  /** How long a 2026-07-28 client may keep the result; undefined for results that are not kept. */
  readonly ttlMs?: number
  /** The parameter that a 2026-07-28 client repeats in a header. */
  readonly nameParam?: string
  /** What a call that names another one in its arguments is instead: that is run, logged and followed. Undefined for any other. */
  readonly unwrap?: (params: JsonObject, call: McpCall) => UnwrappedCall | undefined
  /** What it calls, for whoever follows calls. */
  readonly calls?: CallKind
  readonly opensSession?: true
}

export interface McpServerOptions {
  readonly methods: ReadonlyMap<string, Method>
  readonly serverInfo: ServerInfo
  /** Follows a call from here to its end; undefined for one that nobody wants to hear of. */
  readonly follow: (asked: FollowedCall) => RequestTrace | undefined
  /** Told of a request that calls nothing. */
  readonly count: (method: string, call: McpCall) => void
  readonly meter: Meter
  /** Undefined where clients come through the engine. */
  readonly presence: EnginePresence | undefined
}

/** Runs the methods of the table. */
export function createMcpServer({ methods, serverInfo, follow, count, meter, presence }: McpServerOptions): McpServer {
  function run(method: Method, params: JsonObject, call: McpCall): McpResult | Promise<McpResult> {
    return presence === undefined ? method.run(params, call) : runUnlessAway(presence, method, params, call)
  }

  async function runUnlessAway(
    there: EnginePresence,
    method: Method,
    params: JsonObject,
    call: McpCall,
  ): Promise<McpResult> {
    return (await method.away(there, params, call)) ?? (await method.run(params, call))
  }

  function startTrace(
    method: string,
    row: Method | undefined,
    { params, call, via }: UnwrappedCall & Pick<MeasuredRequest, 'via'>,
  ): RequestTrace | undefined {
    const kind = row?.calls
    const name = toName(row?.nameParam, params)
    const span = meter.measure?.({ method, isKnown: row !== undefined, kind, name, via, params, call })
    if (kind === undefined || name === undefined) {
      if (row !== undefined) count(method, call)
      return span
    }
    const followed = follow({ kind, name, input: params['arguments'], call, traceparent: span?.traceparent })
    return span === undefined ? followed : joinTraces(followed, span)
  }

  return {
    nameParam: (method) => methods.get(method)?.nameParam,
    sessionRequest(method, params) {
      if (methods.get(method)?.opensSession !== true) return undefined
      const { protocolVersion, clientInfo, capabilities: declared }: Params<'initialize'> = params
      return {
        revision: negotiateRevision(protocolVersion),
        client: toClient(clientInfo),
        capabilities: isRecord(declared) ? declared : {},
      }
    },
    async handle(name, outerParams, outerCall) {
      const row = methods.get(name)
      const method = row?.eras?.includes(outerCall.era) === false ? undefined : row
      const inner = method?.unwrap?.(outerParams, outerCall)
      const { params, call } = inner ?? { params: outerParams, call: outerCall }
      const trace = startTrace(name, method, { params, call, via: inner && toName(method?.nameParam, outerParams) })
      try {
        if (method === undefined) throw notFound(name)
        const { calls: kind, ttlMs } = method
        const result = await run(
          method,
          params,
          trace === undefined ? call : toMcpCall(call, { signal: call.signal, reach: call.reach, trace }),
        )
        const text = toResultText(result, { ttlMs, isForModel: kind === 'tool' }, call, serverInfo)
        trace?.answered(result, text)
        return text
      } catch (error) {
        const told = toRpcError(error)
        trace?.refused(told)
        throw told
      }
    },
  }
}

function toName(nameParam: string | undefined, params: JsonObject): string | undefined {
  const name = nameParam && params[nameParam]
  return typeof name === 'string' ? name : undefined
}

function notFound(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `Method not found: ${method.slice(0, 128).toWellFormed()}`)
}

/** What is special about the results of a method. */
interface ResultForm {
  /** How long a 2026-07-28 client may keep the result; undefined for results that are not kept. */
  readonly ttlMs: number | undefined
  /** A model reads the errors; those of all other methods only its host does. */
  readonly isForModel: boolean
}

/**
 * The result as JSON text, as the era of the call wants it and no larger than its transport carries.
 *
 * @throws RpcError for a result that is too large and not for a model
 */
function toResultText(result: McpResult, form: ResultForm, call: McpCall, serverInfo: ServerInfo): string {
  const text = write(result, form, call, serverInfo)
  const bytes = toSentBytes(text, call)
  if (bytes <= call.limits.replyBytes) return text
  const size = (bytes / 1_048_576).toFixed(1)
  const message = `The result is too large to be sent (about ${size} MiB with its escapes; at most ${call.limits.replyBytes / 1_048_576} MiB); ask for less`
  if (form.isForModel) return write({ ...toToolError(message) }, form, call, serverInfo)
  throw new RpcError(RPC.internal, message)
}

/** A ready result is only ever put together, not read again. */
function write(result: McpResult, { ttlMs }: ResultForm, { era }: McpCall, serverInfo: ServerInfo): string {
  const members = readyMembers(result)
  const { _meta: own, resultType } = result as JsonObject
  if (era !== 'stateless') return members === undefined ? JSON.stringify(result) : writeReady(members, own)
  const kept = ttlMs === undefined || resultType !== undefined ? '' : `"ttlMs":${ttlMs},"cacheScope":"private",`
  const isPlain = own === undefined && resultType === undefined
  const shown = members ?? JSON.stringify(isPlain ? result : withoutFrame(result)).slice(1, -1)
  const meta = isRecord(own) ? JSON.stringify({ ...own, [META.serverInfo]: serverInfo }) : toMetaText(serverInfo)
  const type = resultType === undefined ? '"complete"' : JSON.stringify(resultType)
  return `{"resultType":${type},${kept}"_meta":${meta}${shown === '' ? '' : `,${shown}`}}`
}

function writeReady(members: string, own: unknown): string {
  return own === undefined ? `{${members}}` : `{"_meta":${JSON.stringify(own)},${members}}`
}

function withoutFrame(result: McpResult): JsonObject {
  const { _meta: _, resultType: __, ...others } = result as JsonObject
  return others
}

const metaTexts = new WeakMap<ServerInfo, string>()

/** It is the same in nearly every result. */
function toMetaText(serverInfo: ServerInfo): string {
  const known = metaTexts.get(serverInfo)
  if (known !== undefined) return known
  const text = JSON.stringify({ [META.serverInfo]: serverInfo })
  metaTexts.set(serverInfo, text)
  return text
}

/** What a transport adds around a reply, at the most: the envelope, escapes, a frame of its own. */
const FRAME_BYTES = 4_096

/** As it will travel: as a string within JSON. Most replies are far from the limit; of these there is an upper bound, which costs little. */
function toSentBytes(text: string, { limits }: McpCall): number {
  const worstCaseBytes = text.length * 6 + FRAME_BYTES
  return worstCaseBytes <= limits.replyBytes ? worstCaseBytes : Buffer.byteLength(JSON.stringify(text)) + FRAME_BYTES
}
