import { isRecord, type JsonObject } from '@iii/protocol'
import { type Era, type McpCall, type McpClient, toClient } from './call.ts'
import type { CallKind, FollowedCall } from './call-log.ts'
import { joinTraces, type RequestTrace } from './call-trace.ts'
import type { EnginePresence, WhileAway } from './engine-presence.ts'
import { negotiateRevision } from './era.ts'
import type { Params } from './params.ts'
import { type ServerInfo, toResultText } from './result-text.ts'
import { type McpResult, RPC, RpcError, toRpcError } from './rpc.ts'

export type { ServerInfo } from './result-text.ts'

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

/** A request to a method. */
export interface UnwrappedCall {
  readonly params: JsonObject
  readonly call: McpCall
}

export interface ServerOptions {
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

/** A request as it is measured. */
export interface MeasuredRequest {
  readonly method: string
  /** Is there such a method? Anything else is what a client has thought of. */
  readonly isKnown: boolean
  readonly kind: CallKind | undefined
  /** What is asked for, where the method has a parameter that names it. */
  readonly name: string | undefined
  /** The tool that it came through, where another one calls it. */
  readonly via: string | undefined
  readonly params: JsonObject
  readonly call: McpCall
}

/** Measures requests from their beginning to their end, while anybody wants to know. */
export interface Meter {
  measure: ((request: MeasuredRequest) => RequestTrace) | undefined
}

/** What an `initialize` asks for, and what the session that it opens is made of. */
export interface SessionRequest {
  readonly revision: string
  readonly client: McpClient | undefined
  readonly capabilities: JsonObject
}

/** MCP, for every transport: a carrier looks at the facts of a method, makes a call, and sends the text. */
export interface McpServer {
  /** The parameter that a 2026-07-28 client repeats in a header, for methods that have one. */
  nameParam(method: string): string | undefined
  /** What a request opens a session with, for the method that does. */
  sessionRequest(method: string, params: JsonObject): SessionRequest | undefined
  /** @returns the result as JSON text, complete for the era of the call. @throws RpcError, and nothing else */
  handle(method: string, params: JsonObject, call: McpCall): Promise<string>
}

/** Runs the methods of the table. */
export function createServer({ methods, serverInfo, follow, count, meter, presence }: ServerOptions): McpServer {
  async function run(method: Method, params: JsonObject, call: McpCall): Promise<McpResult> {
    const instead = presence && (await method.away(presence, params, call))
    return instead ?? method.run(params, call)
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
        const result = await run(method, params, trace === undefined ? call : { ...call, trace })
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
