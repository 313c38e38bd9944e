import { formatIssues } from '../schema/issue-text.ts'
import { suggestWord } from '../suggestions/suggestion.ts'
import type { OptionSpec } from './option-table.ts'

/** A value that was read, or what is wrong with it. */
export type OptionReading = { value: unknown; problem?: undefined } | { problem: string }

/**
 * Reads what stands after a flag (once or several times) or in an environment variable as the option's own type:
 * numbers, `true`/`false`, lists separated by commas or as a JSON array, JSON.
 *
 * @param source names the place in the problem's text: `--port`, `III_PORT`
 */
export function readOptionText(spec: OptionSpec<unknown>, texts: readonly string[], source: string): OptionReading {
  const [first, ...others] = toCandidates(spec, texts)
  const parsed = spec.schema.safeParse(first)
  if (parsed.success) return { value: parsed.data }
  for (const candidate of others) {
    const other = spec.schema.safeParse(candidate)
    if (other.success) return { value: other.data }
  }
  const { issues } = parsed.error
  const words = typeof spec.default === 'boolean' ? BOOLEANS.keys() : []
  return {
    problem: `${formatIssues(issues, source)} ('${texts.join(' ')}')${suggestWord(issues, texts.at(-1), words)}`,
  }
}

/** What the text may mean, in the order of what is likely for this option. */
function toCandidates(spec: OptionSpec<unknown>, texts: readonly string[]): unknown[] {
  const text = texts.at(-1) ?? ''
  const readings: Record<string, unknown> = {
    string: text,
    number: text.trim() === '' ? text : toNumber(text),
    boolean: BOOLEANS.get(text.trim().toLowerCase()) ?? text,
    list: toList(texts),
    object: toJson(text),
  }
  const likely = Array.isArray(spec.default) ? 'list' : typeof spec.default
  const { [likely]: first = text, ...rest } = readings
  return [first, ...Object.values(rest)]
}

/** What begins as a JSON array of texts and is none stays a text, which is no list then. */
function toList(texts: readonly string[]): unknown {
  const lists = texts.map((text) => {
    if (!/^\s*\[\s*["\]]/.test(text)) return text.split(',').map((part) => part.trim())
    const array = toJson(text)
    return Array.isArray(array) ? array : undefined
  })
  return lists.includes(undefined) ? texts.at(-1) : lists.flat().filter((part) => part !== '')
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
