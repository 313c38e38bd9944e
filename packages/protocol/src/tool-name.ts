/** The six tools that manage the engine; no function's tool may carry one of these names. */
export const MANAGEMENT_TOOL_NAMES: readonly string[] = [
  'iii_worker_register',
  'iii_worker_stop',
  'iii_trigger_register',
  'iii_trigger_unregister',
  'iii_trigger_void',
  'iii_trigger_enqueue',
]
/** The tools that find and call the others, where a list does not show them all; no function's tool may carry one of these names either. */
export const SEARCH_TOOL_NAME = 'search_tools'
export const CALL_TOOL_NAME = 'call_tool'
/** The longest tool name: MCP hosts refuse `^[A-Za-z0-9_-]{1,64}$` mismatches, and some void the whole list for one. */
export const MAX_TOOL_NAME_LENGTH = 64

/**
 * Tells whether a function id can be read back from its tool name: segments of ASCII letters, digits, `-` and single inner `_`,
 * joined by `::`. Length does not matter here.
 *
 * @example
 * isCanonicalId('orders::create') // true
 * isCanonicalId('a__b') // false
 */
export function isCanonicalId(id: string): boolean {
  return canonicalId.test(id)
}

/**
 * Maps an engine function id to its MCP tool name: `::` becomes `__`. Always matches `^[A-Za-z0-9_-]{1,64}$`.
 *
 * @param namespace of a function that lies in another namespace of the engine than the bridge; it comes first, with `___`
 * @returns for an id that is not canonical, or whose name would be too long or one of the bridge's own tools', a cleaned name with `___` and
 *   a hash of the id, which no canonical id's name can equal: look it up in the catalog.
 *
 * @example
 * formatToolName('orders::create') // 'orders__create'
 * formatToolName('reports.daily') // 'reports_daily___86f23e8c'
 * formatToolName('orders::create', 'shop') // 'shop___orders__create'
 */
export function formatToolName(id: string, namespace?: string): string {
  if (namespace === undefined) return formatOwnName(id)
  const ownName = formatOwnName(id)
  const name = `${namespace}${hashMark}${ownName}`
  const isExact = segment.test(namespace) && name.length <= MAX_TOOL_NAME_LENGTH && !hashOnly.test(ownName)
  return isExact ? name : `${cleanName(`${namespace}::${id}`)}${hashMark}${hash(`${namespace}\0${id}`)}`
}

function formatOwnName(id: string): string {
  if (isCanonicalId(id)) {
    const name = id.replaceAll('::', '__')
    if (name.length <= MAX_TOOL_NAME_LENGTH && !isReserved(name)) return name
  }
  return `${cleanName(id)}${hashMark}${hash(id)}`
}

/**
 * Reads the function id from a tool name; the inverse of {@link formatToolName} for canonical ids.
 *
 * @returns undefined for a hashed name, a tool of the bridge's own and every other text that is no canonical id's name.
 *
 * @example
 * parseToolName('orders__create') // 'orders::create'
 */
export function parseToolName(name: string): string | undefined {
  if (!toolName.test(name) || isReserved(name)) return undefined
  const id = name.replaceAll('__', '::')
  return isCanonicalId(id) ? id : undefined
}

/**
 * Reads namespace and function id from the tool name of a function in another namespace; the inverse of {@link formatToolName} for canonical
 * ids, as far as their names are not hashed.
 *
 * @returns undefined for every other text
 *
 * @example
 * parsePlacedToolName('shop___orders__create') // { namespace: 'shop', id: 'orders::create' }
 */
export function parsePlacedToolName(name: string): { namespace: string; id: string } | undefined {
  const at = name.indexOf(hashMark)
  const [namespace, ownName] = [name.slice(0, at), name.slice(at + hashMark.length)]
  if (at === -1 || !toolName.test(name) || !segment.test(namespace) || hashOnly.test(ownName)) return undefined
  const id = parseToolName(ownName)
  return id === undefined ? undefined : { namespace, id }
}

/**
 * Tells whether a name has the shape that {@link formatToolName} gives to ids that are not canonical: only the catalog knows whose it is.
 *
 * @example
 * isHashedToolName('reports_daily___86f23e8c') // true
 */
export function isHashedToolName(name: string): boolean {
  return toolName.test(name) && hashedName.test(name)
}

/**
 * Tells whether a tool name is one of {@link MANAGEMENT_TOOL_NAMES}.
 *
 * @example
 * isManagementToolName('iii_worker_stop') // true
 */
export function isManagementToolName(name: string): boolean {
  return MANAGEMENT_TOOL_NAMES.includes(name)
}

function isReserved(name: string): boolean {
  return isManagementToolName(name) || name === SEARCH_TOOL_NAME || name === CALL_TOOL_NAME
}

const canonicalId = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*(?:::[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)*$/
const segment = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/
const toolName = /^[A-Za-z0-9_-]{1,64}$/
/** Three underscores never occur in the name of a canonical id: a segment neither begins nor ends with one. */
const hashMark = '___'
const hashedName = /___[0-9a-f]{8}$/
const hashOnly = /^[0-9a-f]{8}$/
const cleanLength = MAX_TOOL_NAME_LENGTH - hashMark.length - 8

function cleanName(id: string): string {
  const cleaned = id
    .slice(0, MAX_TOOL_NAME_LENGTH)
    .replaceAll('::', '__')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, cleanLength)
    .replace(/_+$/, '')
  return cleaned === '' ? 'function' : cleaned
}

/** FNV-1a over UTF-16 units with a final mix: the same on every machine and in every release, for names are kept by clients. */
function hash(text: string): string {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
