import { type CronItem, toValues } from './field-values.ts'
import { type CronField, FIELDS, YEARS } from './fields.ts'

/** When a job is due, in UTC. */
export interface Schedule {
  isDue(time: Date): boolean
}

/** Why an expression cannot be read. */
export interface BadSchedule {
  /** Where in the text. */
  readonly at: number
  /** Empty when something else was expected there. */
  readonly problem: string
}

const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 1'],
  ['@daily', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
])

/**
 * Reads a cron expression: second, minute, hour, day of month, month, day of week (1 is Sunday) and perhaps a year; lists,
 * ranges, steps and English names. Five fields, as in a crontab, are too few.
 */
export function parseSchedule(expression: string): Schedule | BadSchedule {
  const shorthand = SHORTHAND.exec(expression)
  const meaning = SHORTHANDS.get(shorthand?.[1] ?? '')
  if (meaning === undefined || !shorthand) return parseFields(expression)
  const end = shorthand[0].length
  return end < expression.length ? { at: end, problem: '' } : parseFields(meaning)
}

type Check = (time: Date) => boolean

function parseFields(expression: string): Schedule | BadSchedule {
  const checks: Check[] = []
  let at = skipSpace(expression, 0)
  for (const field of FIELDS) {
    const list = readList(expression, at, field)
    if (!list) return { at, problem: '' }
    const values = toValues(field, list.items)
    if (typeof values === 'string') return { at, problem: values }
    checks.push((time) => values.has(field.of(time)))
    at = skipSpace(expression, list.end)
  }
  const years = readList(expression, at, YEARS)
  const values = years && toValues(YEARS, years.items)
  if (values instanceof Set) {
    checks.push((time) => values.has(YEARS.of(time)))
    at = skipSpace(expression, years?.end ?? at)
  }
  if (at < expression.length) return { at, problem: '' }
  return { isDue: (time) => checks.every((check) => check(time)) }
}

function skipSpace(text: string, from: number): number {
  return from + (match(SPACES, text, from)?.[0].length ?? 0)
}

/** Reads the list of a field; what cannot belong to it any more is left to the next one. */
function readList(
  text: string,
  from: number,
  field: CronField,
): { readonly items: CronItem[]; readonly end: number } | undefined {
  const first = readItem(text, from, field)
  if (!first) return undefined
  const items = [first.item]
  let { end } = first
  while (text.charAt(end) === ',') {
    const next = readItem(text, end + 1, field)
    if (!next) break
    items.push(next.item)
    end = next.end
  }
  return { items, end }
}

/** Digits beyond 32 bits are no number. */
const MAX_NUMBER = 2 ** 32 - 1

// Numbers and names may have spaces around.
const SPACE = '[ \\t\\r\\n]*'
const NUMBER = `${SPACE}(\\d+)${SPACE}`
const NAME = `${SPACE}([A-Za-z]+)${SPACE}`
const SPACES = new RegExp(SPACE, 'y')
const SHORTHAND = new RegExp(`^${SPACE}(@[a-z]+)${SPACE}`)
const ALL = new RegExp(`(\\*)(?:/${NUMBER})?`, 'y')
const ALL_OR_ANY = new RegExp(`([*?])(?:/${NUMBER})?`, 'y')
const NUMBERS = new RegExp(`${NUMBER}(?:-${NUMBER})?(?:/${NUMBER})?`, 'y')
const NAMES = new RegExp(`${NAME}(?:-${NAME}(?:/${NUMBER})?)?`, 'y')

function readItem(
  text: string,
  at: number,
  { any }: CronField,
): { readonly item: CronItem; readonly end: number } | undefined {
  const all = match(any ? ALL_OR_ANY : ALL, text, at)
  if (all) return { item: { kind: 'all', from: '*', step: all[2] }, end: at + all[0].length }
  const found = match(NUMBERS, text, at) ?? match(NAMES, text, at)
  if (!found || found.slice(1).some((part) => Number(part) > MAX_NUMBER)) return undefined
  const [whole, from = '', to, step] = found
  const item: CronItem = to === undefined ? { kind: 'point', from, step } : { kind: 'range', from, to, step }
  return { item, end: at + whole.length }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
