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

function toVariable(place: string): string {
  return place.replaceAll('.', '_').toUpperCase()
}
