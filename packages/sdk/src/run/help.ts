import { wrap } from '../commands/wrap.ts'
import { type AnyOptionTable, envOf, flagsOf, isSwitch, type OptionSpec } from './option-table.ts'

const WIDTH = 100
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
export function formatHelp(app: HelpSubject, table: AnyOptionTable): string {
  const specs = Object.values(table)
  const rows = specs.filter(hasFlag).map((spec) => [formatFlags(spec), describe(spec, '')] as const)
  const others = specs
    .filter((spec) => !hasFlag(spec))
    .map((spec) => {
      const place = spec.yaml ?? envOf(spec)[0] ?? ''
      return [place, describe(spec, place)] as const
    })
  const width = Math.max(...[...rows, ...others].map(([left]) => left.length)) + 2
  const sections = [
    `${app.name} ${app.version}`,
    app.description,
    '',
    `Usage: ${app.command} [options]`,
    '',
    'Options:',
  ]
  sections.push(...rows.map(([left, right]) => formatRow(left, right, width)))
  if (others.length > 0)
    sections.push('', 'Without a flag:', ...others.map(([left, right]) => formatRow(left, right, width)))
  const stored = specs.some((spec) => spec.stored !== undefined) ? ` ${STORED},` : ''
  const places = `flag,${stored} environment, configuration file, default`
  sections.push('', ...wrap(`What is set in several places counts in this order: ${places}.`, WIDTH), '')
  if (app.footnote !== undefined) sections.push(app.footnote, '')
  return sections.join('\n')
}

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

function formatRow(left: string, right: string, width: number): string {
  const indent = ' '.repeat(width + 2)
  const lines: string[] = []
  let line = ''
  for (const word of right.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 1 > WIDTH) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  lines.push(line)
  return `  ${left.padEnd(width)}${lines.join(`\n${indent}`)}`
}
