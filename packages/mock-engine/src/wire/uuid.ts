const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PLAIN = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/**
 * Reads a UUID in any spelling the engine accepts: hyphenated, in braces or after `urn:uuid:`, or without hyphens, in
 * either case.
 *
 * @returns the lower-case hyphenated form, `undefined` when it is not a UUID.
 */
export function parseUuid(text: string): string | undefined {
  if (HYPHENATED.test(text)) return text
  const bare = (/^\{(.*)\}$/.exec(text)?.[1] ?? text.replace(/^urn:uuid:/, '')).toLowerCase()
  if (HYPHENATED.test(bare)) return bare
  return text.length === 32 && PLAIN.test(bare) ? bare.replace(PLAIN, '$1-$2-$3-$4-$5') : undefined
}
