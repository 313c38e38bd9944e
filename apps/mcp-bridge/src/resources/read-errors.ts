import { explainSkillUri, explainUri, MAX_URI_LENGTH, SKILL_SCHEME, toFault } from '@iii/protocol'
import { isAbsent, suggestNames } from '@iii/sdk'
import type { Denial } from '../gate/index.ts'
import { suggestFrom } from '../gate/unknown-name.ts'
import type { McpCall } from '../mcp/call.ts'
import { RPC, RpcError, requireText } from '../mcp/rpc.ts'
import type { DeclaredResources } from './declared/index.ts'
import { toRegistryError } from './registry.ts'

const WHOSE = 'A Resource URI must start with iii:// or skill://, or be one that a function declares'

/** The address that a request names. @throws RpcError where there is none, and as {@link requireShort} */
export function requireAddress(uri: unknown, method: string): string {
  const address = requireText(uri, 'uri', method)
  requireShort(address)
  return address
}

/** Only addresses of files of skills may be longer than others. What is too long is looked at no further, and told back in part. @throws RpcError */
export function requireShort(uri: string): void {
  if (uri.length <= MAX_URI_LENGTH) return
  const problem = uri.startsWith(SKILL_SCHEME) ? explainSkillUri(uri) : explainUri(uri)
  if (problem === undefined) return
  throw new RpcError(RPC.invalidParams, problem, { uri: uri.slice(0, MAX_URI_LENGTH).toWellFormed() })
}

/** @param uri one of nobody else, and none of ours */
export function explainAddress(uri: string): string {
  return !uri.startsWith('iii://') ? `${WHOSE}: ${uri.toWellFormed()}` : (explainUri(uri) ?? WHOSE)
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
