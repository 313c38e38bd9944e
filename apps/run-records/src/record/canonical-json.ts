import { compareText } from '@iii/protocol'

/**
 * Writes a JSON value so that equal values have equal texts: keys sorted, no spaces. What JSON leaves out of an object is left out here.
 *
 * @example
 * toCanonicalJson({ b: [1, 'x'], a: null }) // '{"a":null,"b":[1,"x"]}'
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${toCanonicalJson(member)}`)
  return `{${members.join(',')}}`
}
