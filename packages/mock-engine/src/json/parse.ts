import type { JsonText } from './json-text.ts'
import { type JsonReader, JsonSyntaxError, readItems, readMembers, readValue, skipSpace } from './reader.ts'

/** @returns `undefined` for what the engine's parser refuses: bad syntax, lone surrogates, more than 127 levels, numbers beyond a double. */
export function parseJson(text: string): JsonText | undefined {
  return parseWhole(text, readValue)
}

/**
 * The members of a JSON object in the order of the text, values canonical; `undefined` when it is not one valid object.
 *
 * @param canonical - whether the text is canonical already.
 */
export function parseMembers(text: string, canonical = false): [string, JsonText][] | undefined {
  return parseWhole(text, readMembers, '{', canonical)
}

/** The items of a canonical JSON array; `undefined` when it is not one valid array. */
export function parseItems(text: JsonText): JsonText[] | undefined {
  return parseWhole(text, readItems, '[', true)
}

function parseWhole<T>(
  text: string,
  read: (reader: JsonReader, depth: number) => T,
  first?: string,
  canonical = false,
): T | undefined {
  const reader: JsonReader = { text, at: 0, canonical, clean: true }
  try {
    skipSpace(reader)
    if (first !== undefined && text.charAt(reader.at) !== first) return undefined
    const value = read(reader, 1)
    skipSpace(reader)
    return reader.at === text.length ? value : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}
