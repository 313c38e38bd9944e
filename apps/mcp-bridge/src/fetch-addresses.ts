import { explainUri, parseUri } from '@iii/protocol'
import type { Gate } from './gate.ts'
import type { JsonObject } from './rpc.ts'

/** More addresses than the registry reads in one call. */
const MAX_ADDRESSES = 32

/**
 * Checks what `skill::fetch` is asked to fetch, before the registry is: it reads sections by calling functions, and which of
 * those this bridge shows is its own to decide.
 *
 * @returns why the whole call is refused, or undefined
 */
export async function refuseAddresses(input: JsonObject, gate: Gate): Promise<string | undefined> {
  const addresses = [input['uri'], ...(Array.isArray(input['uris']) ? input['uris'] : [])]
    .filter((address) => typeof address === 'string')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  if (addresses.length > MAX_ADDRESSES) return `At most ${MAX_ADDRESSES} addresses can be fetched in one call`
  const sections = new Set<string>()
  for (const address of addresses) {
    const uri = parseUri(address)
    if (uri === undefined) return explainUri(address)
    if (uri.kind === 'section') sections.add(uri.functionId)
  }
  for (const functionId of sections) {
    const pass = await gate.admit(functionId, 'section')
    if (!pass.allowed) return pass.message
  }
  return undefined
}
