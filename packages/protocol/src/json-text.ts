/**
 * Writes a value as JSON without spaces, in well-formed Unicode.
 *
 * @returns undefined for what JSON cannot hold: a cycle, a bigint, a function, undefined, more levels than the stack has room for.
 *
 * @example
 * toJsonText({ a: 1 }) // '{"a":1}'
 */
export function toJsonText(value: unknown): string | undefined {
  return write(value, undefined)
}

/** The same for people, indented by two spaces. */
export function toPrettyJsonText(value: unknown): string | undefined {
  return write(value, 2)
}

function write(value: unknown, indent: number | undefined): string | undefined {
  try {
    const json: string | undefined = JSON.stringify(value, null, indent)
    if (json === undefined || !json.includes(halfPair)) return json
    // Keys that differed may be the same now, and JSON has each once.
    return JSON.stringify(JSON.parse(mend(json)), null, indent)
  } catch {
    return undefined
  }
}

/**
 * Gives a JSON value with every text in it well-formed: itself when it is so already, else a mended copy.
 *
 * @returns undefined for what JSON cannot hold.
 */
export function toWellFormedJson<T>(value: T): T | undefined {
  try {
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) return undefined
    return json.includes(halfPair) ? (JSON.parse(mend(json)) as T) : value
  } catch {
    return undefined
  }
}

/** `JSON.stringify` escapes halves of surrogate pairs, and of all surrogates only those. */
const halfPair = '\\ud'
/** An escaped backslash is taken whole, so that the text `\ud800` (six characters) stays what it is. */
const escapes = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g

function mend(json: string): string {
  return json.replace(escapes, (found) => (found === '\\\\' ? found : '\ufffd'))
}
