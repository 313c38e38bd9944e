import { explainUri, MAX_URI_LENGTH, toFault } from '@iii/protocol'
import { isAbsent, suggestNames } from '@iii/sdk'
import type { Denial } from '../gate/index.ts'
import { suggestFrom } from '../gate/unknown-name.ts'
import type { McpCall } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { DeclaredResources } from './declared/index.ts'
import { toRegistryError } from './registry.ts'

const WHOSE = 'A Resource URI must start with iii:// or skill://, or be one that a function declares'

/** @param uri one of nobody else, and none of ours */
export function explainAddress(uri: string): string {
  const isWithoutScheme = uri.length <= MAX_URI_LENGTH && !uri.startsWith('iii://')
  return isWithoutScheme ? `${WHOSE}: ${uri.toWellFormed()}` : (explainUri(uri) ?? WHOSE)
}

/** Nobody has it; the nearest that functions declare are told. */
export async function toUnknownAddress(resources: DeclaredResources, uri: string, call: McpCall): Promise<RpcError> {
  const declared = (await resources.resources(call.principal)).map((row) => row.uri)
  const nearest = suggestFrom(uri, declared)
  const advice = nearest.length === 0 ? '' : suggestNames(nearest, 'resources/list has all of them')
  return addressNotFound(
    `Resource not found: ${uri.slice(0, MAX_URI_LENGTH).toWellFormed()}. ${WHOSE}${advice}`,
    uri,
    call,
  )
}

/** What a client reads whom the gate refuses. */
export function toReadRefusal({ reason, message }: Denial, uri: string, call: McpCall): RpcError {
  if (reason === 'unknown') return addressNotFound(message, uri, call)
  return new RpcError(reason === 'unverified' ? RPC.internal : RPC.invalidParams, message, { uri })
}

interface Reading {
  readonly uri: string
  readonly call: McpCall
  readonly functionId: string
}

/** What a client reads where nothing came back. */
export function toReadError(error: unknown, { uri, call, functionId }: Reading): RpcError {
  const { code, message } = toFault(error)
  return code === 'not_found' || isAbsent(error, functionId)
    ? addressNotFound(message, uri, call)
    : toRegistryError(error)
}

/** The revisions disagree about the code. */
export function addressNotFound(message: string, uri: string, { era }: McpCall): RpcError {
  return new RpcError(era === 'stateless' ? RPC.invalidParams : RPC.resourceNotFound, message, { uri })
}
