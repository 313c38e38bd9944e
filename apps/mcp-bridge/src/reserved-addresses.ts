import { INDEX_URI, parseUri, RESERVED_SKILL_ROOTS } from '@iii/protocol'

/**
 * Says why nothing is read at an address that no skill can have: it is kept for the bridge.
 *
 * @returns undefined for every other address
 */
export function explainReserved(uri: string): string | undefined {
  const address = parseUri(uri)
  if (address?.kind !== 'skill') return undefined
  const [root = ''] = address.id.split('/', 1)
  // Beside the index there are no addresses under `skills`, now or later: the registry says so.
  if (root === INDEX_ROOT || !RESERVED_SKILL_ROOTS.includes(root)) return undefined
  return `${uri} is reserved for this server, and this version of it serves nothing there`
}

const INDEX_ROOT = INDEX_URI.slice('iii://'.length)
