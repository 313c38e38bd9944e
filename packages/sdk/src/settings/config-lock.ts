import type { Logger } from '../log.ts'
import { readConfigFile } from '../options/config-file.ts'
import { readConfigText } from '../options/config-text.ts'
import { combineOptions, explainConflict, type Given, type OptionRules } from '../options/given.ts'
import type { AnyOptionTable } from '../options/option-table.ts'

/** A configuration file that cannot be used. */
export interface ConfigLock {
  /** Its path, which is nothing for callers from outside. */
  readonly file: string
  /** Everything that is wrong with it, each with the line where there is one: `line 2: limit: must be a number, not a string`. */
  readonly mistakes: readonly string[]
  /** The same in one line. */
  readonly reason: string
}

/** What follows from a look at the file. Without anything given, the settings stay what they were. */
export interface ConfigState {
  /** By flags, environment and file, by the option's name. */
  given?: ReadonlyMap<string, Given>
  locked: ConfigLock | undefined
}

export interface ConfigLockOptions<T> {
  rules: OptionRules<T>
  /** From flags and environment. */
  fixed: ReadonlyMap<string, Given>
  /** Its path. */
  file: string
  log: Logger
}

/**
 * Looks at the file each time it is called. A first look that finds it malformed or missing locks, and then a file that is wholly
 * good opens and nothing else does: what cannot be used must not end as the defaults, which may show everything.
 */
export function createConfigLock<T>({ rules, fixed, file, log }: ConfigLockOptions<T>): () => ConfigState {
  let isFirst = true
  /** What is wrong with the file that locks. */
  let fault: readonly string[] | undefined
  /** The last look found what cannot be used. */
  let isRefused = false
  /** By the last file that could be used. */
  let counting: ReadonlyMap<string, Given> = new Map()

  function refuse(mistakes: readonly string[]): ConfigState {
    const lock = toLock(file, mistakes)
    if (!isFirst && fault === undefined) {
      log.error({ file, reason: lock.reason }, 'the configuration file cannot be used; the last good settings stay')
      return { locked: undefined }
    }
    fault = mistakes
    log.error(
      { file, reason: lock.reason },
      'the configuration file cannot be used; nothing is served until it is mended',
    )
    return { locked: lock }
  }

  function miss(what: string): ConfigState {
    if (fault === undefined) {
      log.warn({ file }, `the configuration file ${what}; the last good settings stay`)
      return { locked: undefined }
    }
    const advice = `now the file ${what}: put a mended one in its place, or restart without it`
    const lock = toLock(file, what === GONE && fault.includes(MISSING) ? fault : [...fault, advice])
    log.error(
      { file, reason: lock.reason },
      `the configuration file ${what}; nothing is served until there is a mended one`,
    )
    return { locked: lock }
  }

  function decide({ absent, given, mistakes }: FileSettings): ConfigState {
    if (absent !== undefined && !isFirst) return miss(absent)
    if (mistakes !== undefined) return refuse(mistakes)
    const gone = findGone(rules.options as unknown as AnyOptionTable, counting, given)
    if (gone.length > 0) return refuse(gone)
    if (isRefused) log.info({ file }, 'the configuration file can be used again, and counts')
    fault = undefined
    counting = given
    return { given, locked: undefined }
  }

  return () => {
    const state = decide(readSettings(rules, fixed, file))
    isFirst = false
    isRefused = state.given === undefined
    return state
  }
}

/** A file that was cut off, or saved without what others wrote, is as well formed as one from which something was taken out. */
function findGone(
  table: AnyOptionTable,
  before: ReadonlyMap<string, Given>,
  now: ReadonlyMap<string, Given>,
): readonly string[] {
  return [...before].flatMap(([option, { name, value }]) => {
    const problem = now.has(option) ? undefined : table[option]?.gone?.(value)
    return problem === undefined ? [] : `${name} ${problem}`
  })
}

/** What a file makes of the settings. */
type FileSettings = { absent?: string | undefined } & (
  | { given: ReadonlyMap<string, Given>; mistakes?: undefined }
  | { given?: undefined; mistakes: readonly string[] }
)

const GONE = 'does not exist'
const MISSING = `the file ${GONE}: name the right one with --config or III_CONFIG (III_NAME_CONFIG, with the name of the worker, counts before it), or make it; {} in it means the defaults`
/** A file without a word is what it looks like while somebody writes it, or failed to. Settings of none are `{}`. */
const EMPTY = 'is empty'

function readSettings<T>(rules: OptionRules<T>, fixed: ReadonlyMap<string, Given>, file: string): FileSettings {
  const reading = readConfigFile(file, rules.refusesSharedFile)
  if (reading === 'missing') return { absent: GONE, mistakes: [MISSING] }
  if (reading.problem !== undefined) return { mistakes: [reading.problem] }
  const { values, problems } = readConfigText(reading.text, rules.options as unknown as AnyOptionTable)
  const given = new Map([...values, ...fixed])
  const { conflict } = combineOptions(rules, given)
  // A value that is wrong counts as none meanwhile: what it was meant to be may go with the others.
  const isCertain = problems.length === 0 || conflict?.options.every((name) => given.has(name))
  const conflicts = conflict !== undefined && isCertain ? [explainConflict(conflict, rules, given)] : []
  const mistakes = [...problems, ...conflicts]
  const absent = reading.text.trim() === '' ? EMPTY : undefined
  return mistakes.length > 0 ? { absent, mistakes } : { absent, given }
}

/** What a file says as far as it can be read, by the option's name: for whoever looks for mistakes, since of a file that has one nothing counts. */
export function readLegible<T>(
  { options, refusesSharedFile }: OptionRules<T>,
  file: string,
): ReadonlyMap<string, Given> {
  const reading = readConfigFile(file, refusesSharedFile)
  if (reading === 'missing' || reading.problem !== undefined) return new Map()
  return readConfigText(reading.text, options as unknown as AnyOptionTable).values
}

const MAX_TOLD = 20

function toLock(file: string, mistakes: readonly string[]): ConfigLock {
  const more = mistakes.length - MAX_TOLD
  const told = more > 0 ? [...mistakes.slice(0, MAX_TOLD), `and ${more} more`] : mistakes
  return { file, mistakes: told, reason: told.join('; ') }
}
