/** How much JSON there may be. */
export interface JsonBounds {
  readonly levels: number
  /** Of text. */
  readonly characters: number
}

const NO_BOUNDS: JsonBounds = { levels: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY }

/**
 * Writes what `JSON.parse` gave as JSON in which equal values have equal texts: keys sorted by their UTF-16 units, nothing between tokens,
 * halves of surrogate pairs escaped.
 *
 * @returns undefined for what is beyond the bounds, where there are any: it stops there, so that the rest costs nothing.
 *
 * @example
 * toCanonicalJson({ b: 1, a: [2] }) // '{"a":[2],"b":1}'
 */
export function toCanonicalJson(value: unknown): string
export function toCanonicalJson(value: unknown, bounds: JsonBounds): string | undefined
export function toCanonicalJson(value: unknown, { levels, characters } = NO_BOUNDS): string | undefined {
  const text: Text = { parts: [], levels, room: characters }
  return write(value, text, 1) ? text.parts.join('') : undefined
}

interface Text {
  readonly parts: string[]
  readonly levels: number
  room: number
}

function write(value: unknown, text: Text, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return put(toScalar(value), text)
  if (depth > text.levels) return false
  return Array.isArray(value) ? writeItems(value, text, depth) : writeFields(value as Fields, text, depth)
}

type Fields = Readonly<Record<string, unknown>>

function writeItems(items: readonly unknown[], text: Text, depth: number): boolean {
  let mark = '['
  for (const item of items) {
    if (!put(mark, text) || !write(item, text, depth + 1)) return false
    mark = ','
  }
  return put(mark === '[' ? '[]' : ']', text)
}

function writeFields(fields: Fields, text: Text, depth: number): boolean {
  let mark = '{'
  // Own keys, so that one called `__proto__` is a key like any other.
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key]
    if (value === undefined) continue
    if (!put(`${mark}${JSON.stringify(key)}:`, text) || !write(value, text, depth + 1)) return false
    mark = ','
  }
  return put(mark === '{' ? '{}' : '}', text)
}

/** `JSON.parse` reads 1e999, which `JSON.stringify` writes like null. */
function toScalar(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : (JSON.stringify(value) ?? 'null')
}

function put(part: string, text: Text): boolean {
  text.parts.push(part)
  text.room -= part.length
  return text.room >= 0
}
