/**
 * The hidden first segments: what stands before the first `::` of functions that are never shown to or called for a client, whatever the
 * settings, and whatever namespace of the engine they are in. The engine's own plumbing, the registries, and what runs code on the machine; `worker`, `shell`, `exec` and
 * `sandbox` are plausible names for workers of one's own: they stay hidden too.
 */
export const HIDDEN_SEGMENTS: readonly string[] = [
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
/** Beginnings of ids that are hidden as well: the engine's workers (`iii-state::…`), its lifecycle handlers, dotted bridge functions. */
export const HIDDEN_ID_PREFIXES: readonly string[] = ['iii-', 'iii.', 'bridge.']
/** Single ids of the engine that have one segment. */
export const HIDDEN_IDS: readonly string[] = ['publish', 'motia_step_get']

/**
 * Tells whether a function id lies below the floor. ASCII letters compare without case, so that no look-alike slips through.
 *
 * @example
 * isHiddenId('state::set') // true
 * isHiddenId('STATE::set') // true
 * isHiddenId('skill::fetch') // false
 */
export function isHiddenId(functionId: string): boolean {
  const id = functionId.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const [segment = ''] = id.split('::', 1)
  return (
    HIDDEN_SEGMENTS.includes(segment) ||
    HIDDEN_ID_PREFIXES.some((prefix) => id.startsWith(prefix)) ||
    HIDDEN_IDS.includes(id)
  )
}
