/**
 * The internal namespaces: what stands before the first `::` of functions that are never shown to or called for a client, whatever the
 * settings, and whatever namespace of the engine they are in. The engine's own plumbing, the registries, and what runs code on the machine; `worker`, `shell`, `exec` and
 * `sandbox` are plausible names for workers of one's own: they stay hidden too.
 */
export const INTERNAL_NAMESPACES: readonly string[] = [
  'engine',
  'state',
  'stream',
  'iii',
  'mcp',
  'mcp-client',
  'a2a',
  'skills',
  'prompts',
  'configuration',
  'compose',
  'worker',
  'sandbox',
  'shell',
  'exec',
  'console',
  'bridge',
  'motia',
  'steps',
]
/** Beginnings of ids that are internal as well: the engine's workers (`iii-state::…`), its lifecycle handlers, dotted bridge functions. */
export const INTERNAL_ID_PREFIXES: readonly string[] = ['iii-', 'iii.', 'bridge.']
/** Single ids of the engine that have one segment. */
export const INTERNAL_IDS: readonly string[] = ['publish', 'motia_step_get']

/**
 * Tells whether a function id lies below the floor. ASCII letters compare without case, so that no look-alike slips through.
 *
 * @example
 * isInternalId('state::set') // true
 * isInternalId('STATE::set') // true
 * isInternalId('skill::fetch') // false
 */
export function isInternalId(functionId: string): boolean {
  const id = functionId.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const [segment = ''] = id.split('::', 1)
  return (
    INTERNAL_NAMESPACES.includes(segment) ||
    INTERNAL_ID_PREFIXES.some((prefix) => id.startsWith(prefix)) ||
    INTERNAL_IDS.includes(id)
  )
}
