/** When a job is due, in UTC. */
export interface Schedule {
  isDue(time: Date): boolean
}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
  /** The value of this field at a time. */
  readonly of: (time: Date) => number
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

const FIELDS: readonly Field[] = [
  { name: 'Seconds', min: 0, max: 59, of: (time) => time.getUTCSeconds() },
  { name: 'Minutes', min: 0, max: 59, of: (time) => time.getUTCMinutes() },
  { name: 'Hours', min: 0, max: 23, of: (time) => time.getUTCHours() },
  { name: 'Days of Month', min: 1, max: 31, of: (time) => time.getUTCDate() },
  { name: 'Months', min: 1, max: 12, names: MONTHS, of: (time) => time.getUTCMonth() + 1 },
  { name: 'Days of Week', min: 1, max: 7, names: DAYS, of: (time) => time.getUTCDay() + 1 },
  { name: 'Years', min: 1970, max: 2100, of: (time) => time.getUTCFullYear() },
]

const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 1'],
  ['@daily', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
])

/**
 * Reads a cron expression: second, minute, hour, day of month, month, day of week (1 is Sunday) and perhaps a year; lists,
 * ranges, steps and English names.
 *
 * @returns what is wrong with it when it cannot be read; a five-field crontab line, for one.
 */
export function parseSchedule(expression: string): Schedule | string {
  const parts = (SHORTHANDS.get(expression) ?? expression).trim().split(/\s+/)
  if (parts.length < 6 || parts.length > 7) return `${parts.length} fields instead of 6 or 7`
  const checks: ((time: Date) => boolean)[] = []
  for (const [i, part] of parts.entries()) {
    const field = FIELDS[i]
    const values = field && parseField(field, part)
    if (typeof values === 'string') return values
    if (field && values) checks.push((time) => values.has(field.of(time)))
  }
  return { isDue: (time) => checks.every((check) => check(time)) }
}

function parseField(field: Field, text: string): ReadonlySet<number> | string {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const range = parseRange(field, item)
    if (typeof range === 'string') return range
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
  }
  return values
}

function parseRange(field: Field, item: string): { from: number; to: number; step: number } | string {
  const match = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item)
  const [, first = '', last, every] = match ?? []
  const step = Number(every ?? 1)
  if (!match || step < 1) return `'${item}' in the field ${field.name}`
  if (first === '*' || first === '?') return { from: field.min, to: field.max, step }
  const complaint = complain(field, first) ?? (last === undefined ? undefined : complain(field, last))
  if (complaint !== undefined) return complaint
  const from = toNumber(field, first)
  // `5/10` runs from 5 to the end.
  const open = every === undefined ? from : field.max
  const to = last === undefined ? open : toNumber(field, last)
  return from <= to ? { from, to, step } : `'${item}' in the field ${field.name} runs backwards`
}

function complain(field: Field, word: string): string | undefined {
  const value = toNumber(field, word)
  if (Number.isNaN(value)) return `The '${field.name}' field does not support using names. '${word}' specified.`
  if (value > field.max) return `${field.name} must be less than ${field.max}. ('${word}' specified.)`
  if (value < field.min) return `${field.name} must be greater than or equal to ${field.min}. ('${word}' specified.)`
  return undefined
}

function toNumber(field: Field, word: string): number {
  if (/^\d+$/.test(word)) return Number(word)
  const at = field.names?.indexOf(word.slice(0, 3).toUpperCase()) ?? -1
  return at < 0 ? Number.NaN : at + field.min
}
