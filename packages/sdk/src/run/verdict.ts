import type { Logger } from '../log.ts'
import { readConfigFile } from './config-file.ts'
import { readConfigText } from './config-text.ts'
import { combine, explainConflict, type Given, type OptionRules } from './given.ts'
import type { AnyOptionTable } from './option-table.ts'

/** A configuration file that cannot be used. */
export interface Lock {
  /** Its path, which is nothing for callers from outside. */
  readonly file: string
  /** What is wrong with it, with the line where there is one: `line 2: limit: must be a number, not a string`. */
  readonly reason: string
}

/** What follows from a look at the file. Without anything given, the settings stay what they were. */
export interface Verdict {
  /** By flags, environment and file, by the option's name. */
  given?: ReadonlyMap<string, Given>
  locked: Lock | undefined
}

export interface VerdictOptions<T> {
  rules: OptionRules<T>
  /** From flags and environment. */
  fixed: ReadonlyMap<string, Given>
  /** Its path. */
  file: string
  log: Logger
}

/**
 * Looks at the file each time it is called. A first look that finds it malformed locks, and then a file that is wholly
 * good opens and nothing else does: what cannot be used must not end as the defaults, which may show everything.
 */
export function createVerdict<T>({ rules, fixed, file, log }: VerdictOptions<T>): () => Verdict {
  let isFirst = true
  /** What is wrong with the file that locks. */
  let fault: string | undefined

  function refuse(reason: string): Verdict {
    if (!isFirst && fault === undefined) {
      log.error({ file, reason }, 'the configuration file cannot be used; the last good settings stay')
      return { locked: undefined }
    }
    fault = reason
    log.error({ file, reason }, 'the configuration file cannot be used; nothing is served until it is mended')
    return { locked: { file, reason } }
  }

  function miss(what: string): Verdict {
    if (fault === undefined) {
      log.warn({ file }, `the configuration file ${what}; the last good settings stay`)
      return { locked: undefined }
    }
    const reason = `${fault}; now the file ${what}: put a mended one in its place, or restart without it`
    log.error({ file, reason }, `the configuration file ${what}; nothing is served until there is a mended one`)
    return { locked: { file, reason } }
  }

  function decide({ absent, given, problem }: Outcome): Verdict {
    if (absent !== undefined && !isFirst) return miss(absent)
    if (problem !== undefined) return refuse(problem)
    if (absent === MISSING) log.warn({ file }, `the configuration file ${absent}; the defaults are used`)
    fault = undefined
    return { given, locked: undefined }
  }

  return () => {
    const outcome = readSettings(rules, fixed, file)
    for (const warning of outcome.warnings) log.warn({ file }, `configuration file: ${warning}`)
    const verdict = decide(outcome)
    isFirst = false
    return verdict
  }
}

/** What a file makes of the settings. */
type Outcome = { warnings: readonly string[]; absent?: string | undefined } & (
  | { given: ReadonlyMap<string, Given>; problem?: undefined }
  | { given?: undefined; problem: string }
)

const MISSING = 'does not exist'
/** A file without a word is what it looks like while somebody writes it, or failed to. Settings of none are `{}`. */
const EMPTY = 'is empty'

function readSettings<T>(rules: OptionRules<T>, fixed: ReadonlyMap<string, Given>, file: string): Outcome {
  const reading = readConfigFile(file, rules.refusesSharedFile)
  if (reading === 'missing') return { absent: MISSING, warnings: [], ...judge(rules, fixed) }
  if (reading.problem !== undefined) return { warnings: [], problem: reading.problem }
  const { values, problem, warnings } = readConfigText(reading.text, rules.options as unknown as AnyOptionTable)
  if (problem !== undefined) return { warnings, problem }
  const absent = reading.text.trim() === '' ? EMPTY : undefined
  return { absent, warnings, ...judge(rules, new Map([...values, ...fixed])) }
}

function judge<T>(rules: OptionRules<T>, given: ReadonlyMap<string, Given>) {
  const { conflict } = combine(rules, given)
  return conflict === undefined ? { given } : { problem: explainConflict(conflict, rules, given) }
}
