import { parse, patch, stringify, TomlFormat } from '@decimalturn/toml-patch'
import { isRecord } from '@iii/protocol'
import type { Client } from './clients.ts'
import type { Reading } from './entry-place.ts'

/** Reads TOML with comments. */
export function readToml(text: string, { key }: Client, name: string): Reading {
  let whole: Record<string, unknown>
  try {
    whole = parse(text) as Record<string, unknown>
  } catch (error) {
    return { problem: explain(error) }
  }
  const { [key]: below = {}, ...others } = whole
  if (!isRecord(below)) return { problem: `'${key}' is no table` }
  const { [name]: entry, ...servers } = below
  // The table that holds them is only there for the last one, unless somebody wrote its header.
  const isEmpty = Object.keys(servers).length === 0 && !new RegExp(`^\\s*\\[${key}\\]`, 'm').test(text)
  const without = isEmpty ? others : { ...whole, [key]: servers }
  const remove = () => (entry === undefined ? text : patch(text, without))
  return {
    text,
    entry,
    where: '',
    rest: { ...others, [key]: servers },
    remove,
    // A table of its own at the end says the same wherever the others stand.
    put: (block) => append(remove(), `[${key}.${name}]`, block),
  }
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
