import { explainUnread, explainUri, MAX_URI_LENGTH, parseUri } from '@iii/protocol'
import type { Gate } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import type { JsonObject } from '../mcp/rpc.ts'
import { parseEngineUri } from './engine/address.ts'

/** So many addresses the registry reads in one call. */
const MAX_ADDRESSES = 32

/** What `skill::fetch` is called with, or why it is not called. */
export type FetchRequest =
  | { readonly input: JsonObject; readonly unread: string | undefined; readonly refusal?: undefined }
  | { readonly refusal: string }

/**
 * Checks what `skill::fetch` is asked to fetch, before the registry is: it reads sections by calling functions, and which of
 * those this bridge shows is its own to decide. Only what was checked goes on: `uri` does not, where `uris` counts.
 *
 * @param namespace of the registry, where that is another than our own: its addresses without one lead there
 */
export async function toFetchRequest(asked: JsonObject, gate: Gate, namespace?: string): Promise<FetchRequest> {
  const { uri, ...withoutUri } = asked
  const { uris } = withoutUri
  const isList = Array.isArray(uris) && uris.length > 0
  const refusal = await refuse(toAddresses(isList ? uris : [uri]), gate, namespace)
  if (refusal !== undefined) return { refusal }
  return isList ? { input: withoutUri, unread: explainUnread(uri, uris) } : { input: asked, unread: undefined }
}

/** What is no address at all is left to the registry, which says what it takes. */
function toAddresses(asked: readonly unknown[]): string[] {
  const texts = asked.filter((address) => typeof address === 'string').map((address) => address.trim())
  return [...new Set(texts)].filter((address) => address !== '')
}

/** The texts are those of the registry. */
async function refuse(addresses: readonly string[], gate: Gate, from: string | undefined): Promise<string | undefined> {
  if (addresses.length > MAX_ADDRESSES) {
    return `Too many addresses: ${addresses.length} (max ${MAX_ADDRESSES}); fetch the rest in another call`
  }
  const sections = new Set<string>()
  for (const address of addresses) {
    const problem = explain(address)
    if (problem !== undefined) return problem
    const uri = parseUri(address)
    if (uri?.kind === 'section') sections.add(toKey({ namespace: uri.namespace ?? from, id: uri.functionId }))
  }
  for (const functionId of sections) {
    const pass = await gate.admit(functionId, 'section')
    if (!pass.allowed) return pass.message
  }
  return undefined
}

function explain(address: string): string | undefined {
  if (!address.startsWith('iii://')) return `Invalid URI (must start with iii://): ${address.slice(0, MAX_URI_LENGTH)}`
  if (parseEngineUri(address) === undefined) return explainUri(address)
  return `${address.slice(0, MAX_URI_LENGTH)} is served by this server itself: read it with resources/read`
}
