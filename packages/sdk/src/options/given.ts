import { type AnyOptionTable, flagsOf, type OptionSpec, type OptionTable } from './option-table.ts'

/** Where options are set; `store` are the settings that the engine keeps for a worker. */
export type OptionPlace = 'flag' | 'store' | 'environment' | 'file'

/** A value that somebody gave to an option, and where. */
export interface Given {
  value: unknown
  from: OptionPlace
  /** What it is called there: `--api-path`, `III_MCP_API_PATH`, `api_path`. */
  name: string
  /** Where it stands in a file, counted from 1. */
  line?: number | undefined
  /** The same of a part of it: of `env.inherit[0]`, or of the nearest thing around that. */
  lineOf?: ((part: string) => number) | undefined
}

/** Options whose values cannot go together. */
export interface OptionConflict<T> {
  options: readonly (keyof T & string)[]
  /** Goes on after their names: `say the opposite of each other: use one of them`. */
  reason: string
}

/** Judges the options together, after each was judged alone. */
export type FindConflict<T> = (value: Readonly<T>) => OptionConflict<T> | undefined

/** All there is to know of the options of an app. */
export interface OptionRules<T> {
  options: OptionTable<T>
  /** A conflict of flags is a usage error; one that the file takes part in makes it a file that cannot be used. */
  findConflict?: FindConflict<T> | undefined
  /**
   * For a worker whose file says what runs on this machine: a file that others than its owner may write cannot be used. Windows has
   * other rights, and there it changes nothing.
   */
  refusesSharedFile?: boolean | undefined
}

/** What the options are, and which of them cannot go together. */
export interface Combination<T> {
  value: Readonly<T>
  conflict: OptionConflict<T> | undefined
}

/** Fills up what was given with the defaults. */
export function combineOptions<T>(
  { options, findConflict }: OptionRules<T>,
  given: ReadonlyMap<string, Given>,
): Combination<T> {
  const entries = Object.entries(options as unknown as AnyOptionTable).map(([name, spec]) => {
    const found = given.get(name)
    return [name, found === undefined ? spec.default : found.value]
  })
  const value = Object.freeze(Object.fromEntries(entries)) as Readonly<T>
  return { value, conflict: findConflict?.(value) }
}

/**
 * Says which options cannot go together, each by the name that it has where it was set.
 *
 * @example
 * explainConflict(conflict, rules, given)
 * // 'line 2: --require-expose (flag) and expose_all say the opposite of each other: use one of them'
 */
export function explainConflict<T>(
  { options: names, reason }: OptionConflict<T>,
  { options: table }: OptionRules<T>,
  given: ReadonlyMap<string, Given>,
): string {
  const lines = names.flatMap((name) => given.get(name)?.line ?? [])
  const line = lines.length === 0 ? undefined : Math.min(...lines)
  const specs = table as unknown as AnyOptionTable
  const called = names.map((name) => callOption(specs[name], given.get(name), line) ?? name)
  return `${line === undefined ? '' : `line ${line}: `}${called.join(' and ')} ${reason}`
}

/** @param said the line of the file that the sentence has named already; undefined when it is not about a file */
function callOption(
  spec: OptionSpec<unknown> | undefined,
  given: Given | undefined,
  said: number | undefined,
): string | undefined {
  if (given === undefined) return spec && `${spec.yaml ?? flagsOf(spec)[0]} (default)`
  const { from, name, line } = given
  if (from === 'file') return line === said ? name : `${name} (line ${line})`
  return from === 'flag' && said === undefined ? name : `${name} (${from})`
}

/** Where a part of the file stands, counted from 1: `servers.github.env`. Undefined for what is not from the file. */
export function findLine(given: ReadonlyMap<string, Given>, place: string): number | undefined {
  const found = [...given.values()].find(({ from, name }) => from === 'file' && isWithin(place, name))
  return found?.lineOf?.(place.slice(found.name.length + 1)) ?? found?.line
}

function isWithin(place: string, name: string): boolean {
  return place === name || place.startsWith(`${name}.`)
}
