import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import { formatIssues, formatPath } from '../schema/issue-text.ts'
import type { Issue } from '../schema/json-schema.ts'
import { createUnknownKeyFinder } from '../schema/unknown-keys.ts'
import { hintNearest, suggestWord } from '../suggestions/suggestion.ts'
import { explainCommonKey } from './common-key.ts'
import type { Given } from './given.ts'
import type { AnyOptionTable, OptionSpec } from './option-table.ts'

const MAX_ALIASES = 100
/** What begins like this is nobody's setting, and a place for anchors: as in Compose files and OpenAPI. */
const EXTENSION = 'x-'

/** Where in the file a place is. */
export type LinePositions = Pick<LineCounter, 'linePos'>

export interface Reader {
  readonly document: Document
  readonly lines: LinePositions
  readonly table: AnyOptionTable
  readonly values: Map<string, Given>
  readonly problems: string[]
}

/**
 * Reads a document of good syntax against the option table: values and problems go where the reader has them.
 *
 * @throws ReferenceError for an alias without its anchor; an Error for one that unfolds without end
 */
export function readDocument(reader: Reader): void {
  // Resolves every alias once, so that a file that unfolds without end stops here.
  const whole: unknown = reader.document.toJS({ maxAliasCount: MAX_ALIASES })
  if (whole === null || whole === undefined) return
  if (isCircular(whole)) {
    reader.problems.push('an alias leads to what it stands in')
    return
  }
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
    const value = readValue(reader, spec, path, node)
    const line = lineOf(reader, key)
    const lineOfPart = (part: string) => {
      const place = keyAt(reader, node, toPath(part))
      return place === node ? line : lineOf(reader, place)
    }
    if (value !== undefined) reader.values.set(name, { value, from: 'file', name: path, line, lineOf: lineOfPart })
  } else if (entries.some(([, { yaml }]) => yaml?.startsWith(`${path}.`))) {
    if (!isEmpty(node)) readMapping(reader, node, path)
  } else if (!path.startsWith(EXTENSION)) {
    const known = entries.flatMap(([, { yaml }]) => yaml ?? [])
    const problem = explainCommonKey(path) ?? `unknown key '${path}'${hintNearest(path, known)}`
    reader.problems.push(`line ${lineOf(reader, key)}: ${problem}`)
  }
}

/** @returns undefined for what is not set, and for a value that is wrong, which is a problem then */
function readValue(reader: Reader, spec: OptionSpec<unknown>, path: string, node: unknown): unknown {
  if (isEmpty(node)) {
    const problem = `${path}: ${spec.empty ?? ''}`
    if (spec.empty !== undefined) reader.problems.push(`line ${lineOf(reader, node)}: ${problem}`)
    return undefined
  }
  const value: unknown = (node as Node).toJS(reader.document, { maxAliasCount: MAX_ALIASES })
  let issues: readonly Issue[] = []
  for (const meant of toMeanings(value)) {
    const parsed = spec.schema.safeParse(meant)
    if (parsed.success) return parsed.data
    issues = parsed.error.issues
  }
  const words = spec.schema.safeParse(true).success ? ['true', 'false'] : []
  const unknown = findUnknownKeys(spec, issues, value)
  for (const { path: place, key, known, given } of unknown) {
    const line = lineOf(reader, keyAt(reader, node, [...place, key]))
    const others = known.filter((name) => !given.includes(name))
    reader.problems.push(`line ${line}: unknown key '${formatPath(path, [...place, key])}'${hintNearest(key, others)}`)
  }
  const told = issues.filter((one) => (unknown.length === 0 || !isAboutKeys(one)) && !isOfOtherKind(one, issues))
  for (const issue of told) {
    const line = lineOf(reader, nodeAt(reader, node, issue.path))
    const meant = suggestWord([{ ...issue, path: [] }], valueAt(value, issue.path), words)
    reader.problems.push(`line ${line}: ${formatIssues([issue], path)}${meant}`)
  }
  return undefined
}

/** Keys of a value that its schema does not have, where it refuses them. */
function findUnknownKeys({ schema }: OptionSpec<unknown>, issues: readonly Issue[], value: unknown) {
  return issues.some(isAboutKeys) ? createUnknownKeyFinder(schema)(value) : []
}

function isAboutKeys(issue: Issue): boolean {
  return (issue as Issue & { code?: string }).code === 'unrecognized_keys'
}

/** A text that should be a list has no length that anybody asks for, though zod says so. */
function isOfOtherKind(issue: Issue, issues: readonly Issue[]): boolean {
  const [first] = issues.filter(({ path }) => formatPath('', path) === formatPath('', issue.path))
  return first !== issue && (first as Issue & { code?: string }).code === 'invalid_type'
}

/** The part of a value that an issue is about, so that the line is that of an element and not of its list. */
function nodeAt(reader: Reader, node: unknown, path: readonly PropertyKey[]): unknown {
  let place = node
  for (const key of path) {
    const target = isAlias(place) ? place.resolve(reader.document) : place
    const next = isCollection(target) ? target.get(key, true) : undefined
    if (next === undefined) return place
    place = next
  }
  return place
}

/** The same, where a key of a mapping is what people look for. */
function keyAt(reader: Reader, node: unknown, path: readonly PropertyKey[]): unknown {
  const last = path.at(-1)
  const mapping = last === undefined ? undefined : toMapping(reader, nodeAt(reader, node, path.slice(0, -1)))
  const pair = mapping?.items.find(({ key }) => isScalar(key) && key.value === last)
  return pair?.key ?? nodeAt(reader, node, path)
}

/** `env.inherit[0]` as the keys that lead there. */
function toPath(part: string): PropertyKey[] {
  return [...part.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key))
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), value)
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
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

export function lineOf({ lines }: Pick<Reader, 'lines'>, node: unknown): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? (node as Node).range : undefined
  return lines.linePos(range?.[0] ?? 0).line
}

/** An alias may stand in what it means; its value has no end then, and cannot be compared or printed. */
function isCircular(whole: unknown): boolean {
  try {
    JSON.stringify(whole)
    return false
  } catch {
    return true
  }
}

/** What a list can mean: itself, its only element, a list with texts that end in a colon, which YAML takes for keys. */
function toMeanings(value: unknown): unknown[] {
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
