import { formatObject, type JsonText, textToString } from './json-text.ts'
import { parseItems, parseJson, parseMembers } from './parse.ts'

/** Writes a JavaScript value as canonical text. Meant for plain values the engine itself makes. */
export function toText(value: unknown): JsonText {
  return parseJson(JSON.stringify(value) ?? 'null') ?? 'null'
}

/** Writes an object from texts; members that are `undefined` are left out. */
export function objectText(members: Record<string, JsonText | undefined>): JsonText {
  const map = new Map<string, JsonText>()
  for (const [key, text] of Object.entries(members)) if (text !== undefined) map.set(key, text)
  return formatObject(map)
}

/** Writes a string. */
export function quote(value: string): JsonText {
  return JSON.stringify(value)
}

/** Writes a string that may be missing. */
export function quoteMaybe(value: string | undefined): JsonText | undefined {
  return value === undefined ? undefined : JSON.stringify(value)
}

/** The members of a canonical object, or `undefined` for any other value. */
export function toMembers(text: JsonText): Map<string, JsonText> | undefined {
  const members = text.startsWith('{') ? parseMembers(text, true) : undefined
  return members && new Map(members)
}

/** The items of a canonical array, or `undefined` for any other value. */
export function toItems(text: JsonText): JsonText[] | undefined {
  return text.startsWith('[') ? parseItems(text) : undefined
}

/** The value of a text that is a string, else `undefined`. */
export function toStringValue(text: JsonText | undefined): string | undefined {
  return text?.startsWith('"') ? textToString(text) : undefined
}

/** Reads a canonical text as a JavaScript value; integers beyond 2^53 lose digits. */
export function toValue(text: JsonText | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
