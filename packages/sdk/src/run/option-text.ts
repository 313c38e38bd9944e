import { formatIssues } from '../schema/issue-text.ts'
import type { OptionSpec } from './option-table.ts'

/** A value that was read, or what is wrong with it. */
export type Reading = { value: unknown; problem?: undefined } | { problem: string }

/**
 * Reads what stands after a flag (once or several times) or in an environment variable as the option's own type:
 * numbers, `true`/`false`, lists separated by commas, JSON.
 *
 * @param source names the place in the problem's text: `--port`, `III_PORT`
 */
export function readOptionText(spec: OptionSpec<unknown>, texts: readonly string[], source: string): Reading {
  const [first, ...others] = toCandidates(spec, texts)
  const parsed = spec.schema.safeParse(first)
  if (parsed.success) return { value: parsed.data }
  for (const candidate of others) {
    const other = spec.schema.safeParse(candidate)
    if (other.success) return { value: other.data }
  }
  return { problem: `${formatIssues(parsed.error.issues, source)} ('${texts.join(' ')}')` }
}

/** What the text may mean, in the order of what is likely for this option. */
function toCandidates(spec: OptionSpec<unknown>, texts: readonly string[]): unknown[] {
  const text = texts.at(-1) ?? ''
  const list = texts.flatMap((part) => part.split(',')).map((part) => part.trim())
  const readings: Record<string, unknown> = {
    string: text,
    number: text.trim() === '' ? text : toNumber(text),
    boolean: BOOLEANS.get(text.trim().toLowerCase()) ?? text,
    list: list.filter((part) => part !== ''),
    json: toJson(text),
  }
  const likely = Array.isArray(spec.default) ? 'list' : typeof spec.default
  const { [likely]: first = text, ...rest } = readings
  return [first, ...Object.values(rest)]
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
])

function toNumber(text: string): unknown {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
