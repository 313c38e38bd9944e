import { type Trace, toNextHop } from '@iii/sdk'
import type { JSONRPCResponse, JSONRPCResultResponse } from '@modelcontextprotocol/server'
import type { Principal } from './auth/principal.ts'
import { UNREACHABLE } from './mcp/call.ts'
import type { McpServer } from './mcp/contract.ts'
import { toLockedError } from './mcp/locked-error.ts'
import { formatRpcError, type RpcError, type RpcId, toEnvelope, toRpcError } from './mcp/rpc.ts'
import type { Callers } from './sessions/callers.ts'

export interface BareOptions {
  readonly server: McpServer
  readonly callers: Callers
  /** Who a worker is that asks with a bare message. */
  readonly principal: () => Principal
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly closed: () => string | undefined
}

/** Answers one JSON-RPC message that came by `iii.trigger`, without HTTP around it; null where there is nothing to answer. */
export type AnswerBare = (message: unknown, trace: Trace | undefined) => Promise<JSONRPCResponse | null>

export function createBare({ server, callers, principal, closed }: BareOptions): AnswerBare {
  return async (message, trace) => {
    const envelope = toEnvelope(message)
    if (envelope.kind === 'notification' || envelope.kind === 'response') return null
    if (envelope.kind === 'invalid') return toReply(envelope.id, envelope.error)
    const { id, method, params } = envelope
    const reason = closed()
    if (reason !== undefined) return toReply(id, toLockedError(reason))
    try {
      const { caller } = await callers.identify(envelope, {
        principal: principal(),
        headers: undefined,
        canStream: false,
        // A message from the bus may come from a function that a message of its own called.
        trace: toNextHop(method, trace),
      })
      const { signal } = new AbortController()
      const text = await server.handle(method, params, { ...caller, signal, reach: UNREACHABLE })
      return { jsonrpc: '2.0', id, result: JSON.parse(text) as JSONRPCResultResponse['result'] }
    } catch (error) {
      return toReply(id, toRpcError(error))
    }
  }
}

function toReply(id: RpcId | null, error: RpcError): JSONRPCResponse {
  return JSON.parse(formatRpcError(id, error)) as JSONRPCResponse
}
