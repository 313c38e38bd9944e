import { isRecord, type JsonObject } from '@iii/protocol'
import type { McpCall } from '../mcp/call.ts'
import { decodeHeaderValue } from '../mcp/era.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { ParamHeader } from './catalog/schema-headers.ts'

const DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * Holds the headers that repeat arguments against the arguments (MCP 2026-07-28): whoever routed the request by them must have
 * seen what the function gets. A header without an argument says nothing.
 *
 * @throws RpcError `headerMismatch`
 */
export function checkParamHeaders(headers: readonly ParamHeader[], input: JsonObject, call: McpCall): void {
  const { paramHeader } = call
  if (call.era !== 'stateless' || paramHeader === undefined) return
  for (const { name, path } of headers) {
    const value = readAt(input, path)
    if (value === undefined) continue
    const header = paramHeader(name)?.trim()
    if (header === undefined) throw mismatch(name, 'is missing, and the argument is there')
    const decoded = decodeHeaderValue(header)
    if (decoded === undefined) throw mismatch(name, 'is not valid Base64')
    if (!isSame(decoded, value)) throw mismatch(name, 'and the argument disagree')
  }
}

/** A number has more than one spelling. */
function isSame(header: string, value: string | number | boolean): boolean {
  return typeof value === 'number' && DECIMAL.test(header) ? Number(header) === value : header === String(value)
}

/** What a header can repeat: anything else is nothing that it could say. */
function readAt(input: JsonObject, path: readonly string[]): string | number | boolean | undefined {
  let at: unknown = input
  for (const key of path) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? at : undefined
}

function mismatch(name: string, what: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Bad request: the Mcp-Param-${name} header ${what}`)
}
