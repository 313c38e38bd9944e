import { Fault } from '@iii/protocol'
import type { Zod3Type } from '../schema/json-schema.ts'
import { hintNearest } from '../suggestions/suggestion.ts'

/**
 * What the settings that the engine stores for a worker may say of an option. Any worker can write there: `any` is for what lets nobody
 * see or do more. A function takes what flags, environment, file and default say and what is stored, and answers what counts: never
 * less strict than ours.
 */
export type StoredRule<Value> = 'any' | ((ours: Value, stored: Value) => Value)

/** One thing that can be set, where, and what it is when nobody sets it. */
export interface OptionSpec<Value> {
  /** `--api-path`; several spellings for the same thing are fine. */
  flag?: string | readonly string[] | undefined
  /** Environment variables, the first that is set counts. See `withEnvironment`. */
  env?: string | readonly string[] | undefined
  /** Place in the YAML file: `scopes.skills`. */
  yaml?: string | undefined
  /** What may be stored on the engine. @default nothing: it comes from flags, environment and file alone */
  stored?: StoredRule<Value> | undefined
  /** A zod type of whatever version the project has. */
  schema: Zod3Type<Value>
  default: NoInfer<Value>
  /** What is wrong with its key in the file where nothing stands behind it. @default such a key says nothing, as if it were not there */
  empty?: string | undefined
  /**
   * What is wrong with a file that has lost its key while the worker runs; undefined where nothing is. Then the last good settings stay.
   *
   * @default the option is what it is by default
   */
  gone?: ((before: Value) => string | undefined) | undefined
  /** One sentence for the help text. */
  describe: string
  /** What the help text prints for the value of the flag. @default made from the default's type */
  placeholder?: string | undefined
}

/** Everything an app can be told, by name. */
export type OptionTable<T> = { readonly [Key in keyof T]: OptionSpec<T[Key]> }

/** A table whose value types do not matter. */
export type AnyOptionTable = Readonly<Record<string, OptionSpec<unknown>>>

const KEYS: ReadonlySet<string> = new Set<keyof OptionSpec<unknown>>([
  'flag',
  'env',
  'yaml',
  'stored',
  'schema',
  'default',
  'empty',
  'gone',
  'describe',
  'placeholder',
])
const NEEDED = { schema: 'a zod type', default: 'what it is when nobody sets it', describe: 'a sentence for --help' }

/** @throws Fault `invalid_input` for a table, written in plain JavaScript, that lacks something or has what nobody reads. */
export function checkOptionTable(table: AnyOptionTable): void {
  for (const [name, spec] of Object.entries(table)) {
    for (const [key, what] of Object.entries(NEEDED)) {
      if (!(key in spec)) throw new Fault('invalid_input', `The option '${name}' needs '${key}': ${what}`)
    }
    for (const key of Object.keys(spec).filter((given) => !KEYS.has(given))) {
      throw new Fault('invalid_input', `The option '${name}' has '${key}', which is not read${hintNearest(key, KEYS)}`)
    }
  }
}

export function flagsOf(spec: OptionSpec<unknown>): readonly string[] {
  return toList(spec.flag)
}

export function envOf(spec: OptionSpec<unknown>): readonly string[] {
  return toList(spec.env)
}

/** Whether a flag stands alone: `--debug`, not `--url URL`. */
export function isSwitch(spec: OptionSpec<unknown>): boolean {
  if (spec.default !== undefined) return typeof spec.default === 'boolean'
  return spec.schema.safeParse(true).success && !spec.schema.safeParse('true').success
}

function toList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}
