import { checkSkillId, INDEX_URI, parseUri } from '@iii/protocol'

/** Tells whether an address leads to an id: old stores, and whoever writes to the scope directly, may hold some that could not be registered today. */
export function isReachable(id: string): boolean {
  return checkSkillId(id) === undefined
}

/** Says why nothing is stored under an id that cannot be registered; undefined for every other. */
export function explainReserved(id: string): string | undefined {
  if (isReachable(id)) return undefined
  const [root = ''] = id.split('/', 1)
  if (root === INDEX_ROOT) return `"${root}" is reserved for the index at ${INDEX_URI}`
  return `"${root}" is reserved for the MCP bridge, and the registry holds nothing there`
}

/** Whether an address is one that only the MCP bridge may serve. */
export function isOfBridge(uri: string): boolean {
  const address = parseUri(uri)
  if (address?.kind !== 'skill' || isReachable(address.id)) return false
  return address.id.split('/', 1)[0] !== INDEX_ROOT
}

const INDEX_ROOT = INDEX_URI.slice('iii://'.length)
