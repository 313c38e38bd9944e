import { isRecord } from '@iii/protocol'
import { explainCommonKey } from '../options/common-key.ts'
import type { Given } from '../options/given.ts'
import type { AnyOptionTable, OptionSpec } from '../options/option-table.ts'
import { formatIssues } from '../schema/issue-text.ts'
import { hintNearest, suggestWord } from '../suggestions/suggestion.ts'

/** What stored settings say, key by key. Sentences name keys as the file has them. */
export interface StoredReading {
  /** By the option's name, as far as they are right. */
  values: ReadonlyMap<string, Given>
  /** What is wrong with the others, by the option's name. */
  problems: ReadonlyMap<string, string>
  /** Of keys that nobody knows, or that are never stored. */
  warnings: readonly string[]
}

/** A value of the store. `isRaw`: the engine could not fill in its placeholders. */
export interface StoredValue {
  value: unknown
  isRaw: boolean
}

/**
 * Reads a value of the store against the option table, as the file is read. Never throws.
 *
 * @returns undefined for what is not keys with values.
 */
export function readStored(stored: StoredValue, table: AnyOptionTable): StoredReading | undefined {
  const { value, isRaw } = stored
  const reading = { values: new Map<string, Given>(), problems: new Map<string, string>(), warnings: [] as string[] }
  if (value === null || value === undefined) return reading
  if (!isRecord(value)) return undefined
  for (const [place, leaf] of toLeaves(value, '', table)) {
    const [name, spec] = findOption(table, place)
    if (name === undefined || spec?.stored === undefined) reading.warnings.push(explainStranger(place, spec, table))
    else if (leaf !== null) readLeaf(reading, { name, spec, place, leaf, isRaw })
  }
  return reading
}

interface Leaf {
  name: string
  spec: OptionSpec<unknown>
  place: string
  leaf: unknown
  isRaw: boolean
}

function readLeaf(
  { values, problems }: { values: Map<string, Given>; problems: Map<string, string> },
  { name, spec, place, leaf, isRaw }: Leaf,
): void {
  if (isRaw && JSON.stringify(leaf).includes('${')) {
    problems.set(name, `${place}: names a variable that the engine does not have`)
    return
  }
  const parsed = spec.schema.safeParse(leaf)
  if (parsed.success) values.set(name, { value: parsed.data, from: 'store', name: place })
  else problems.set(name, formatIssues(parsed.error.issues, place) + suggestWord(parsed.error.issues, leaf))
}

/** Goes down as far as options lie below. */
function* toLeaves(
  mapping: Record<string, unknown>,
  prefix: string,
  table: AnyOptionTable,
): Generator<[place: string, leaf: unknown]> {
  for (const [key, value] of Object.entries(mapping)) {
    const place = `${prefix}${key}`
    const isGroup = Object.values(table).some(({ yaml }) => yaml?.startsWith(`${place}.`))
    if (isGroup && isRecord(value)) yield* toLeaves(value, `${place}.`, table)
    else yield [place, value]
  }
}

function findOption(table: AnyOptionTable, place: string): [name?: string, spec?: OptionSpec<unknown>] {
  return Object.entries(table).find(([, { yaml }]) => yaml === place) ?? []
}

function explainStranger(place: string, spec: OptionSpec<unknown> | undefined, table: AnyOptionTable): string {
  if (spec !== undefined) return `'${place}' does not count here: it comes from flags, environment and file alone`
  const elsewhere = explainCommonKey(place)
  if (elsewhere !== undefined) return elsewhere
  const known = Object.values(table).flatMap(({ yaml, stored }) => (stored === undefined ? [] : (yaml ?? [])))
  return `unknown key '${place}'${hintNearest(place, known)}`
}
