import { isDeepStrictEqual } from 'node:util'
import { parse, patch, stringify, TomlFormat } from '@decimalturn/toml-patch'
import { isRecord } from '@iii/protocol'
import type { Client } from './clients.ts'
import type { Reading } from './entry-place.ts'
import { cutTables } from './toml-tables.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** Reads TOML with comments. The mark that some editors begin a file with is none of it, and stays. */
export function readToml(text: string, client: Client, name: string): Reading {
  if (!text.startsWith(BYTE_ORDER_MARK)) return readTables(text, client, name)
  const place = readTables(text.slice(BYTE_ORDER_MARK.length), client, name)
  if (place.problem !== undefined) return place
  return {
    ...place,
    text,
    remove: () => `${BYTE_ORDER_MARK}${place.remove()}`,
    put: (block) => `${BYTE_ORDER_MARK}${place.put(block)}`,
  }
}

function readTables(text: string, client: Client, name: string): Reading {
  const { key } = client
  let whole: Record<string, unknown>
  try {
    whole = parse(text) as Record<string, unknown>
  } catch (error) {
    return { problem: explain(error) }
  }
  const { [key]: below = {}, ...others } = whole
  if (!isRecord(below)) return { problem: `'${key}' is no table` }
  const { [name]: found, ...servers } = below
  const entry = Object.hasOwn(below, name) ? found : undefined
  const rest = { ...others, [key]: servers }
  // The table that holds them is only there for the last one, unless somebody wrote its header.
  const isEmpty = Object.keys(servers).length === 0 && !new RegExp(`^\\s*\\[${key}\\]`, 'm').test(text)
  const without = isEmpty ? others : { ...whole, [key]: servers }
  function remove(): string {
    if (entry === undefined) return text
    const cut = cutTables(text, key, name)
    // Where the server has no tables of its own, or a line only looks like the beginning of one, comments may go with it.
    return isWithout(readTables(cut, client, name), rest) ? cut : patch(text, without)
  }
  return {
    text,
    entry,
    where: '',
    rest,
    remove,
    // A table of its own at the end says the same wherever the others stand.
    put: (block) => append(remove(), `[${key}.${name}]`, block),
  }
}

function isWithout(reading: Reading, rest: unknown): boolean {
  return reading.problem === undefined && reading.entry === undefined && isDeepStrictEqual(reading.rest, rest)
}

function append(text: string, header: string, block: object): string {
  const format = TomlFormat.autoDetectFormat(text)
  format.inlineTableStart = 0
  const { newLine } = format
  const before = text.trimEnd()
  const table = [header, stringify(block, format).trimEnd(), ''].join(newLine)
  return before === '' ? table : [before, '', table].join(newLine)
}

function explain(error: unknown): string {
  const { message, line } = error as Error & { line?: number }
  const reason = message.split('\n').at(-1) ?? message
  return line === undefined ? reason : `line ${line}: ${reason}`
}
