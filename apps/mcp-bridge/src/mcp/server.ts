import { isRecord, type JsonObject } from '@iii/protocol'
import { type Era, type McpCall, type McpClient, toClient } from './call.ts'
import type { CallLog } from './call-log.ts'
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

export type CallKind = 'tool' | 'prompt' | 'section'

export interface ServerOptions {
  readonly methods: ReadonlyMap<string, Method>
  readonly serverInfo: ServerInfo
  readonly callLog: CallLog
  /** Follows a call from here to its end; undefined for one that nobody wants to hear of. */
  readonly follow: (asked: FollowedCall) => RequestTrace | undefined
  readonly meter: Meter
  /** Undefined where clients come through the engine. */
  readonly presence: EnginePresence | undefined
}

/** A call that somebody may want to hear of. */
export interface FollowedCall {
  readonly kind: CallKind
  /** What was asked for by the parameter that names it. */
  readonly name: string
  readonly input: unknown
  readonly call: McpCall
}

/** A request as it is measured. */
export interface MeasuredRequest {
  readonly method: string
  /** Is there such a method? Anything else is what a client has thought of. */
  readonly isKnown: boolean
  readonly kind: CallKind | undefined
  /** What is asked for, where the method has a parameter that names it. */
  readonly name: string | undefined
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
export function createServer({ methods, serverInfo, callLog, follow, meter, presence }: ServerOptions): McpServer {
  async function run(method: Method, params: JsonObject, call: McpCall): Promise<McpResult> {
    const instead = presence && (await method.away(presence, params, call))
    return instead ?? method.run(params, call)
  }

  function followCall({ calls: kind, nameParam }: Method, params: JsonObject, call: McpCall): RequestTrace | undefined {
    const name = toName(nameParam, params)
    if (kind === undefined || name === undefined) return undefined
    return follow({ kind, name, input: params['arguments'], call })
  }

  function startTrace(name: string, method: Method | undefined, params: JsonObject, call: McpCall) {
    const followed = method && followCall(method, params, call)
    if (meter.measure === undefined) return followed
    const facts = { isKnown: method !== undefined, kind: method?.calls, name: toName(method?.nameParam, params) }
    return joinTraces(followed, meter.measure({ method: name, ...facts, params, call }))
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
      const { params, call } = method?.unwrap?.(outerParams, outerCall) ?? { params: outerParams, call: outerCall }
      const record = method?.calls === 'tool' ? callLog.start(params, call) : undefined
      const trace = startTrace(name, method, params, call)
      try {
        if (method === undefined) throw notFound(name)
        const { calls: kind, ttlMs } = method
        const result = await run(method, params, trace === undefined ? call : { ...call, trace })
        const text = toResultText(result, { ttlMs, isForModel: kind === 'tool' }, call, serverInfo)
        record?.answered(result, text)
        trace?.answered(result, text)
        return text
      } catch (error) {
        const told = toRpcError(error)
        record?.refused(told)
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
