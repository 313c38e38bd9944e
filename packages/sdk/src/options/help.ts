import { type Paint, PLAIN } from '../terminal/paint.ts'
import { wrap } from '../terminal/wrap.ts'
import { type AnyOptionTable, envOf, flagsOf, isSwitch, type OptionSpec } from './option-table.ts'

/** Of a terminal that nobody has made larger. */
export const HELP_WIDTH = 80
const STORED = 'what is stored on the engine (where the engine has started the program)'

/** The program as its help text shows it. */
export interface HelpSubject {
  name: string
  version: string
  description: string
  /** What the user types to start it. */
  command: string
  /** Stands below the options. */
  footnote?: string | undefined
}

/** The text of `--help`, made from the option table. */
export function formatHelp(app: HelpSubject, table: AnyOptionTable, paint: Paint = PLAIN): string {
  const specs = Object.values(table)
  const stored = specs.some((spec) => spec.stored !== undefined) ? ` ${STORED},` : ''
  const places = `flag,${stored} environment, configuration file, default`
  return [
    paint('bold', `${app.name} ${app.version}`),
    ...wrap(app.description, HELP_WIDTH),
    '',
    `${paint('bold', 'Usage:')} ${app.command} [options]`,
    '',
    ...formatOptions(specs, paint),
    '',
    ...wrap(`What is set in several places counts in this order: ${places}.`, HELP_WIDTH),
    '',
    ...(app.footnote === undefined ? [] : [app.footnote, '']),
  ].join('\n')
}

function formatOptions(specs: readonly OptionSpec<unknown>[], paint: Paint): string[] {
  const rows = specs.filter(hasFlag).map(toOptionRow)
  const others = specs
    .filter((spec) => !hasFlag(spec))
    .map((spec) => {
      const place = spec.yaml ?? envOf(spec)[0] ?? ''
      return [place, describe(spec, place)] as const
    })
  const width = Math.max(...[...rows, ...others].map(([left]) => left.length))
  const own = rows.length === 0 ? [] : [paint('bold', 'Options:'), ...formatRows(rows, width)]
  const unflagged = others.length === 0 ? [] : [paint('bold', 'Without a flag:'), ...formatRows(others, width)]
  return own.length === 0 || unflagged.length === 0 ? [...own, ...unflagged] : [...own, '', ...unflagged]
}

/** What stands on the left and on the right of an option that has a flag. */
export function toOptionRow(spec: OptionSpec<unknown>): readonly [string, string] {
  return [formatFlags(spec), describe(spec, '')]
}

/** Rows of two columns, of which the second is wrapped. Where the first would leave no room for it, it stands below. */
export function formatRows(
  rows: readonly (readonly [string, string])[],
  width = Math.max(0, ...rows.map(([left]) => left.length)),
): string[] {
  const column = Math.min(width, MAX_LEFT) + GAP.length
  const indent = GAP + ' '.repeat(column)
  return rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrap(right, HELP_WIDTH - indent.length)
    const isLong = left.length + GAP.length > column
    const head = isLong ? [`${GAP}${left}`, indent + first] : [`${GAP}${left.padEnd(column)}${first}`]
    return [...head.map((line) => line.trimEnd()), ...more.map((line) => indent + line)]
  })
}

const GAP = '  '
const MAX_LEFT = 30

function formatFlags(spec: OptionSpec<unknown>): string {
  const names = flagsOf(spec).join(', ')
  return isSwitch(spec) ? names : `${names} ${spec.placeholder ?? toPlaceholder(spec.default)}`
}

function toPlaceholder(value: unknown): string {
  if (typeof value === 'number') return 'N'
  return Array.isArray(value) ? 'A,B,…' : 'TEXT'
}

function hasFlag(spec: OptionSpec<unknown>): boolean {
  return flagsOf(spec).length > 0
}

/** @param place where it is set, when that is shown already */
function describe(spec: OptionSpec<unknown>, place: string): string {
  const parts: string[] = []
  const env = envOf(spec).filter((name) => name !== place)
  if (env.length > 0) parts.push(`env ${env.join(', ')}`)
  if (spec.yaml !== undefined && spec.yaml !== place) parts.push(`file ${spec.yaml}`)
  const isPlain = spec.default === undefined || spec.default === false || spec.default === ''
  if (!isPlain) parts.push(`default ${typeof spec.default === 'string' ? spec.default : JSON.stringify(spec.default)}`)
  return parts.length === 0 ? spec.describe : `${spec.describe} [${parts.join('; ')}]`
}
