import { findNearest } from '../suggestions/nearest.ts'
import { type AnyOptionTable, envOf, type OptionSpec, type OptionTable } from './option-table.ts'

/** Set by the engine in a micro-VM, where the `config:` block of the project arrives as variables without a prefix. */
const ISOLATION = 'III_ISOLATION'

/** What every process has, and means something else: no option is read from these. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set([
  'HOME',
  'HOSTNAME',
  'LANG',
  'NODE_OPTIONS',
  'PATH',
  'PWD',
  'SHELL',
  'SHLVL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
])

/**
 * Gives each option that has a place in the file a variable of the same name.
 *
 * @example
 * withEnvironment('III_SKILLS', { skillsScope: { yaml: 'scopes.skills', … } }) // read from III_SKILLS_SCOPES_SKILLS
 */
export function withEnvironment<T>(prefix: string, table: OptionTable<T>): OptionTable<T> {
  const entries = Object.entries(table as unknown as AnyOptionTable).map(([name, spec]) => {
    const own = spec.yaml === undefined ? [] : [`${prefix}_${toVariable(spec.yaml)}`]
    return [name, { ...spec, env: [...own, ...envOf(spec)] }]
  })
  return Object.fromEntries(entries) as OptionTable<T>
}

/** The variables that an option is read from, the first that is set counts. */
export function variablesOf(
  spec: OptionSpec<unknown>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (spec.yaml === undefined || (env[ISOLATION] ?? '') === '') return envOf(spec)
  const bare = toVariable(spec.yaml)
  return OF_THE_SYSTEM.has(bare) ? envOf(spec) : [...envOf(spec), bare]
}

/** A variable that names the file of one worker, where several have one environment: those that an engine starts. */
const OWN_FILE = /^III_[A-Z0-9_]+_CONFIG$/

/** @example toOwnFileVariable('mcp-client') // 'III_MCP_CLIENT_CONFIG' */
export function toOwnFileVariable(workerName: string): string {
  return `III_${toVariable(workerName.replaceAll('-', '_'))}_CONFIG`
}

/** Says of each variable that has the prefix of the options and belongs to none of them what was probably meant. */
export function explainStrays(
  workerName: string,
  table: AnyOptionTable,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const specs = Object.values(table)
  const known = [...specs.flatMap(envOf), toOwnFileVariable(workerName)]
  const prefixes = new Set(specs.flatMap(prefixesOf))
  const strays = Object.keys(env).filter((name) => [...prefixes].some((prefix) => name.startsWith(prefix)))
  return strays
    .filter((name) => !known.includes(name) && !OWN_FILE.test(name))
    .map((name) => {
      const nearest = findNearest(name, known)
      return `unknown variable ${name}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
    })
}

function prefixesOf(spec: OptionSpec<unknown>): string[] {
  const { yaml } = spec
  if (yaml === undefined) return []
  const ending = `_${toVariable(yaml)}`
  return envOf(spec).flatMap((name) => (name.endsWith(ending) ? [name.slice(0, 1 - ending.length)] : []))
}

function toVariable(place: string): string {
  return place.replaceAll('.', '_').toUpperCase()
}
