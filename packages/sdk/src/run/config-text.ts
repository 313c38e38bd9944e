import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, Parser, parseDocument } from 'yaml'
import { formatIssues } from '../schema/validator.ts'
import { findNearest } from './nearest.ts'
import type { AnyOptionTable, OptionSpec } from './option-table.ts'

/** What a configuration file says: a value for each option it names, or why it says nothing. */
export interface ConfigReading {
  values: ReadonlyMap<string, unknown>
  /** Line and reason; the values do not count then. */
  problem: string | undefined
  warnings: readonly string[]
}

export const MAX_CONFIG_BYTES = 256 * 1024
const MAX_ALIASES = 100
const MAX_LEVELS = 64

interface Reader {
  document: Document
  lines: LineCounter
  table: AnyOptionTable
  values: Map<string, unknown>
  problems: string[]
  warnings: string[]
}

/** Reads YAML against the option table. Never throws: whatever is wrong is a problem with its line. */
export function readConfigText(text: string, table: AnyOptionTable): ConfigReading {
  const lines = new LineCounter()
  const reader = {
    lines,
    table,
    values: new Map<string, unknown>(),
    problems: [] as string[],
    warnings: [] as string[],
  }
  try {
    if (isTooDeep(text)) return { ...reader, problem: `nested deeper than ${MAX_LEVELS} levels` }
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
    const [error] = document.errors
    if (error !== undefined) reader.problems.push(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
    else readDocument({ ...reader, document })
  } catch (error) {
    reader.problems.push(toReason(error))
  }
  return { values: reader.values, problem: reader.problems[0], warnings: reader.warnings }
}

/** The step after the tokens is recursive, and a process whose stack it fills may not survive that. */
function isTooDeep(text: string): boolean {
  const waiting: Nested[] = [...new Parser().parse(text)].map((token) => ({ token, level: 1 }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.level > MAX_LEVELS) return true
    waiting.push(...partsOf(next))
  }
  return false
}

interface Nested {
  token: unknown
  level: number
}

function partsOf({ token, level }: Nested): Nested[] {
  if (typeof token !== 'object' || token === null) return []
  const { key, value, items } = token as { key?: unknown; value?: unknown; items?: unknown }
  const inside = [key, ...(Array.isArray(items) ? items : [])].map((part) => ({ token: part, level: level + 1 }))
  return [{ token: value, level }, ...inside]
}

function readDocument(reader: Reader): void {
  // Resolves every alias once, so that a file that unfolds without end stops here.
  const whole: unknown = reader.document.toJS({ maxAliasCount: MAX_ALIASES })
  if (whole === null || whole === undefined) return
  readMapping(reader, reader.document.contents, '')
}

function readMapping(reader: Reader, node: unknown, prefix: string): void {
  const mapping = toMapping(reader, node)
  if (mapping === undefined) {
    reader.problems.push(`line ${lineOf(reader, node)}: ${prefix || 'the file'}: expected keys with values`)
    return
  }
  for (const { key, value } of mapping.items) {
    const name = isScalar(key) ? String(key.value) : String(key)
    readEntry(reader, `${prefix}${prefix === '' ? '' : '.'}${name}`, key, value)
  }
}

function readEntry(reader: Reader, path: string, key: unknown, node: unknown): void {
  const entries = Object.entries(reader.table)
  const [name, spec] = entries.find(([, { yaml }]) => yaml === path) ?? []
  if (name !== undefined && spec !== undefined) {
    readValue(reader, name, spec, path, node)
  } else if (entries.some(([, { yaml }]) => yaml?.startsWith(`${path}.`))) {
    if (!isEmpty(node)) readMapping(reader, node, path)
  } else {
    const nearest = findNearest(
      path,
      entries.flatMap(([, { yaml }]) => yaml ?? []),
    )
    const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`
    reader.warnings.push(`line ${lineOf(reader, key)}: unknown key '${path}'${hint}`)
  }
}

function readValue(reader: Reader, name: string, spec: OptionSpec<unknown>, path: string, node: unknown): void {
  if (isEmpty(node)) return
  const value: unknown = (node as Node).toJS(reader.document, { maxAliasCount: MAX_ALIASES })
  const parsed = spec.schema.safeParse(value)
  if (parsed.success) {
    reader.values.set(name, parsed.data)
    return
  }
  const only = Array.isArray(value) && value.length === 1 ? spec.schema.safeParse(value[0]) : undefined
  if (only?.success) reader.values.set(name, only.data)
  else reader.problems.push(`line ${lineOf(reader, node)}: ${formatIssues(parsed.error.issues, path)}`)
}

/** A mapping, also when it comes as the only element of a list. */
function toMapping(reader: Reader, node: unknown) {
  const target = isAlias(node) ? node.resolve(reader.document) : node
  if (isMap(target)) return target
  return isSeq(target) && target.items.length === 1 && isMap(target.items[0]) ? target.items[0] : undefined
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

function lineOf({ lines }: Reader, node: unknown): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? (node as Node).range : undefined
  return lines.linePos(range?.[0] ?? 0).line
}

function toReason(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error)
}
