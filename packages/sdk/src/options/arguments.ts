import { findNearest } from '../suggestions/nearest.ts'
import { type AnyOptionTable, flagsOf, isSwitch } from './option-table.ts'

/** What was said on the command line: the texts of each option, by its name in the table. */
export type Arguments =
  | { texts: ReadonlyMap<string, { flag: string; values: string[] }>; problem?: undefined }
  | { problem: string }

interface KnownFlag {
  key: string
  /** What a switch means when it stands alone; undefined for a flag that needs a value. */
  alone: string | undefined
}

/**
 * Reads a command line. `--flag value`, `--flag=value`, a switch alone, and `--no-flag` for a switch `--flag`.
 *
 * @param operands gets the words that belong to no flag, and whatever stands behind `--`; without it they are refused.
 * @returns a problem in words for a flag that does not exist (with the nearest that does) or lacks its value.
 */
export function parseArguments(argv: readonly string[], table: AnyOptionTable, operands?: string[]): Arguments {
  const known = toKnownFlags(table)
  const texts = new Map<string, { flag: string; values: string[] }>()
  const [words, rest] = splitAtDashes(argv, operands !== undefined)
  for (let at = 0; at < words.length; at++) {
    const token = words[at] ?? ''
    if (addOperand(operands, token)) continue
    const [flag = '', inline] = splitToken(token)
    const match = known.get(flag)
    if (match === undefined) return { problem: explainUnknown(flag, known) }
    const near = inline ?? match.alone
    const value = near ?? words[++at] ?? '--'
    if (near === undefined && value.startsWith('--')) return { problem: `${flag} needs a value` }
    const said = texts.get(match.key) ?? { flag, values: [] }
    said.values.push(value)
    texts.set(match.key, said)
  }
  operands?.push(...rest)
  return { texts }
}

function addOperand(operands: string[] | undefined, token: string): boolean {
  if (operands === undefined || token.startsWith('-')) return false
  operands.push(token)
  return true
}

function splitAtDashes(argv: readonly string[], splits: boolean): [readonly string[], readonly string[]] {
  const dashes = splits ? argv.indexOf('--') : -1
  return dashes === -1 ? [argv, []] : [argv.slice(0, dashes), argv.slice(dashes + 1)]
}

function splitToken(token: string): [string, string | undefined] {
  const equals = token.startsWith('--') ? token.indexOf('=') : -1
  return equals === -1 ? [token, undefined] : [token.slice(0, equals), token.slice(equals + 1)]
}

function toKnownFlags(table: AnyOptionTable): Map<string, KnownFlag> {
  const flags = Object.entries(table).flatMap(([key, spec]) =>
    flagsOf(spec).map((flag): [string, KnownFlag] => [flag, { key, alone: isSwitch(spec) ? 'true' : undefined }]),
  )
  const switches = flags.filter(([, { alone }]) => alone !== undefined)
  const negations = switches.map(([flag, { key }]): [string, KnownFlag] => [
    flag.replace(/^--/, '--no-'),
    { key, alone: 'false' },
  ])
  const known = new Map<string, KnownFlag>()
  // A flag that is really called --no-something stays what it is.
  for (const [flag, meaning] of [...flags, ...negations]) if (!known.has(flag)) known.set(flag, meaning)
  return known
}

function explainUnknown(flag: string, known: ReadonlyMap<string, KnownFlag>): string {
  if (!flag.startsWith('-')) return `unexpected argument '${flag}'; every option starts with --`
  const nearest = findNearest(flag, known.keys())
  return nearest === undefined ? `unknown option ${flag}` : `unknown option ${flag}; did you mean ${nearest}?`
}
