/** What a list can mean: itself, its only element, a list with texts that end in a colon, which YAML takes for keys. */
export function toMeanings(value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value]
  const mended = value.map((element: unknown) => toColonText(element) ?? element)
  return value.length === 1 ? [value, value[0], mended] : [value, mended]
}

/** `- orders::` is the key `orders:` without a value to YAML, and a text to whoever wrote it. */
function toColonText(element: unknown): string | undefined {
  if (typeof element !== 'object' || element === null) return undefined
  const [[key, value] = [], ...others] = Object.entries(element)
  return key?.endsWith(':') && value === null && others.length === 0 ? `${key}:` : undefined
}
