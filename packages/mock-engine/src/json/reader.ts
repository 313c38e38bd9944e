import { arrayText, compareBytes, formatObject, type JsonText, textToString } from './json-text.ts'
import { formatNumber } from './number.ts'

/** Levels of nesting the engine's parser accepts in one document. */
const MAX_DEPTH = 127

/** A document that the engine's parser refuses. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError'
}

/** Where a reader is in a text. */
export interface JsonReader {
  readonly text: string
  at: number
  /** Whether the engine has read the text before: a number that is read again may change again. */
  readonly canonical: boolean
  /** Whether what was read so far is canonical. */
  clean: boolean
}

function fail(): never {
  throw new JsonSyntaxError('not JSON')
}

export function skipSpace(reader: JsonReader): void {
  for (;;) {
    const code = reader.text.charCodeAt(reader.at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    reader.at++
    reader.clean = false
  }
}

/** Reads one value; a canonical stretch of the text is cut out as it is, anything else is written anew. */
export function readValue(reader: JsonReader, depth: number): JsonText {
  switch (reader.text.charCodeAt(reader.at)) {
    case 34:
      return readString(reader)
    case 123:
      return readObject(reader, depth)
    case 91:
      return readArray(reader, depth)
    case 116:
      return readWord(reader, 'true')
    case 102:
      return readWord(reader, 'false')
    case 110:
      return readWord(reader, 'null')
    default:
      return readNumber(reader)
  }
}

function readWord(reader: JsonReader, word: string): JsonText {
  if (!reader.text.startsWith(word, reader.at)) fail()
  reader.at += word.length
  return word
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function readNumber(reader: JsonReader): JsonText {
  NUMBER.lastIndex = reader.at
  const raw = NUMBER.exec(reader.text)?.[0]
  if (raw === undefined) fail()
  reader.at += raw.length
  const text = reader.canonical ? raw : formatNumber(raw)
  if (text === undefined) fail()
  if (text !== raw) reader.clean = false
  return text
}

/** Reads a string, quotes included. */
function readString(reader: JsonReader): JsonText {
  const { text } = reader
  const start = reader.at
  let at = start + 1
  let escaped = false
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 34) break
    // A control character, or the end of the text, which is NaN.
    if (!(code >= 32)) fail()
    if (code === 92) {
      escaped = true
      at++
    }
    at++
  }
  reader.at = at + 1
  const raw = text.slice(start, reader.at)
  if (!escaped) return raw
  const tidy = JSON.stringify(decodeString(raw))
  if (tidy !== raw) reader.clean = false
  return tidy
}

/** The value of a JSON string that holds escapes. */
function decodeString(raw: string): string {
  let value: string
  try {
    value = JSON.parse(raw) as string
  } catch {
    fail()
  }
  return value.isWellFormed() ? value : fail()
}

function readArray(reader: JsonReader, depth: number): JsonText {
  const outer = enter(reader)
  const start = reader.at
  const items = readItems(reader, depth)
  return leave(reader, outer, start, () => arrayText(items))
}

function readObject(reader: JsonReader, depth: number): JsonText {
  const outer = enter(reader)
  const start = reader.at
  const members = readMembers(reader, depth)
  if (reader.clean && !isSorted(members)) reader.clean = false
  return leave(reader, outer, start, () => formatObject(new Map(members)))
}

/** Starts a container: whether it is canonical is found out for it alone. */
function enter(reader: JsonReader): boolean {
  const outer = reader.clean
  reader.clean = true
  return outer
}

function leave(reader: JsonReader, outer: boolean, start: number, write: () => JsonText): JsonText {
  const text = reader.clean ? reader.text.slice(start, reader.at) : write()
  reader.clean = reader.clean && outer
  return text
}

/** Reads the items of the array that starts here. */
export function readItems(reader: JsonReader, depth: number): JsonText[] {
  const items: JsonText[] = []
  if (open(reader, depth, 93)) return items
  do {
    skipSpace(reader)
    items.push(readValue(reader, depth + 1))
    skipSpace(reader)
  } while (more(reader, 93))
  return items
}

/** Reads the members of the object that starts here, in the order of the text, a repeated key as often as it stands. */
export function readMembers(reader: JsonReader, depth: number): [string, JsonText][] {
  const members: [string, JsonText][] = []
  if (open(reader, depth, 125)) return members
  do {
    skipSpace(reader)
    const key = readKey(reader)
    skipSpace(reader)
    if (reader.text.charCodeAt(reader.at++) !== 58) fail()
    skipSpace(reader)
    members.push([key, readValue(reader, depth + 1)])
    skipSpace(reader)
  } while (more(reader, 125))
  return members
}

/** Steps into a container. @returns whether it is empty, and then behind it already. */
function open(reader: JsonReader, depth: number, end: number): boolean {
  if (depth > MAX_DEPTH) fail()
  reader.at++
  skipSpace(reader)
  if (reader.text.charCodeAt(reader.at) !== end) return false
  reader.at++
  return true
}

function readKey(reader: JsonReader): string {
  if (reader.text.charCodeAt(reader.at) !== 34) fail()
  return textToString(readString(reader))
}

function more(reader: JsonReader, end: number): boolean {
  const code = reader.text.charCodeAt(reader.at++)
  if (code === 44) return true
  return code === end ? false : fail()
}

function isSorted(members: readonly [string, JsonText][]): boolean {
  let previous: string | undefined
  for (const [key] of members) {
    if (previous !== undefined && compareBytes(previous, key) >= 0) return false
    previous = key
  }
  return true
}
