import { isRecord, type JsonObject } from '@iii/protocol'
import { type Era, type McpCall, toClient } from '../mcp/call.ts'
import { joinTraces, type RequestTrace } from '../mcp/call-trace.ts'
import type { McpServer, MeasuredRequest, Meter, UnwrappedCall } from '../mcp/contract.ts'
import type { CallKind, FollowedCall } from '../mcp/ended-call.ts'
import { negotiateRevision } from '../mcp/era.ts'
import { toMcpCall } from '../mcp/exchange.ts'
import type { Params } from '../mcp/params.ts'
import { type McpResult, RPC, RpcError, toRpcError } from '../mcp/rpc.ts'
import type { EnginePresence, WhileAway } from './engine-presence.ts'
import { type ServerInfo, toResultText } from './result-text.ts'

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
