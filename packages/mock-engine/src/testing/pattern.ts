import { isDeepStrictEqual } from 'node:util'
import { type Placeholders, toLongValue } from './placeholders.ts'

/**
 * Compares a value with a pattern.
 *
 * @returns what differs, or `undefined` when it fits; names that are met for the first time have a value then.
 */
export function differ(pattern: unknown, value: unknown, names: Placeholders, at = 'frame'): string | undefined {
  if (typeof pattern === 'string') return differText(pattern, value, names, at)
  if (Array.isArray(pattern)) return differArray(pattern, value, names, at)
  if (pattern !== null && typeof pattern === 'object') return differObject(pattern, value, names, at)
  return Object.is(pattern, value) ? undefined : wrong(at, pattern, value)
}

/** A short form of a value, for messages. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text
}

function wrong(at: string, pattern: unknown, value: unknown): string {
  return `${at} is ${brief(value)}, not ${brief(pattern)}`
}

function differText(pattern: string, value: unknown, names: Placeholders, at: string): string | undefined {
  if (pattern === '$any') return value === undefined ? `${at} is missing` : undefined
  const whole = pattern.slice(1)
  if (pattern.startsWith('$') && names.isName(whole)) {
    return value !== undefined && names.take(whole, value) ? undefined : wrong(at, pattern, value)
  }
  if (typeof value !== 'string') return wrong(at, pattern, value)
  const found: string[] = []
  const parts = pattern.split(/(\$[a-z][a-z0-9_]*)/).map((part) => {
    if (part === '$any') return '.*?'
    if (!part.startsWith('$') || !names.isName(part.slice(1))) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    found.push(part.slice(1))
    return '(.*?)'
  })
  const match = new RegExp(`^${parts.join('')}$`, 's').exec(value)
  const fits = match && found.every((name, i) => names.take(name, match[i + 1]))
  return fits ? undefined : wrong(at, pattern, value)
}

function differArray(pattern: readonly unknown[], value: unknown, names: Placeholders, at: string): string | undefined {
  if (!Array.isArray(value) || value.length !== pattern.length) return wrong(at, pattern, value)
  return firstOf(pattern, (item, i) => differ(item, value[i], names, `${at}[${i}]`))
}

function firstOf<T>(items: readonly T[], check: (item: T, i: number) => string | undefined): string | undefined {
  for (const [i, item] of items.entries()) {
    const difference = check(item, i)
    if (difference !== undefined) return difference
  }
  return undefined
}

type Operator = (wanted: never, value: unknown, names: Placeholders, at: string) => string | undefined

const OPERATORS: Readonly<Record<string, Operator>> = {
  $partial: (wanted: object, value, names, at) => differMembers(wanted, value, names, at, true),
  $contains: (wanted: unknown[], value, names, at) => differItems(wanted, value, names, at).difference,
  $set: (wanted: unknown[], value, names, at) => {
    const { difference, rest } = differItems(wanted, value, names, at)
    return difference ?? (rest.length > 0 ? `${at} has ${brief(rest)} too` : undefined)
  },
  $lacks: (unwanted: unknown[], value, names, at) =>
    firstOf(unwanted, (item) =>
      differItems([item], value, names.copy(), at).difference ? undefined : `${at} has ${brief(item)}`,
    ),
  $length: (length: number, value, _names, at) =>
    Array.isArray(value) && value.length === length ? undefined : wrong(at, `${length} items`, value),
  $csv: (wanted: string[], value, _names, at) =>
    typeof value === 'string' &&
    isDeepStrictEqual(new Set(wanted), new Set(value.split(',').map((item) => item.trim())))
      ? undefined
      : wrong(at, wanted, value),
  $matches: (source: string, value, _names, at) =>
    typeof value === 'string' && new RegExp(source).test(value) ? undefined : wrong(at, source, value),
  $number: (_wanted: true, value, _names, at) => (typeof value === 'number' ? undefined : wrong(at, 'a number', value)),
}

function differObject(pattern: object, value: unknown, names: Placeholders, at: string): string | undefined {
  const long = toLongValue(pattern)
  if (long !== undefined) return isDeepStrictEqual(long, value) ? undefined : wrong(at, pattern, value)
  const operators = Object.entries(pattern).filter(([key]) => key in OPERATORS)
  if (operators.length === 0) return differMembers(pattern, value, names, at, false)
  return firstOf(operators, ([key, wanted]) => OPERATORS[key]?.(wanted as never, value, names, at))
}

/** A key with a question mark may be absent. */
function differMembers(
  pattern: object,
  value: unknown,
  names: Placeholders,
  at: string,
  partial: boolean,
): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong(at, pattern, value)
  const wanted = Object.entries(pattern).map(([key, item]) => ({
    key: key.replace(/\?$/, ''),
    item: item as unknown,
    may: key.endsWith('?'),
  }))
  const members = new Map<string, unknown>(Object.entries(value))
  const difference = firstOf(wanted, ({ key, item, may }) =>
    may && !members.has(key) ? undefined : differ(item, members.get(key), names, `${at}.${key}`),
  )
  if (difference !== undefined || partial) return difference
  const more = [...members.keys()].find((key) => !wanted.some((member) => member.key === key))
  return more === undefined ? undefined : `${at} has ${more}: ${brief(members.get(more))} too`
}

/** Looks for an item for each pattern, in any order. */
function differItems(
  patterns: readonly unknown[],
  value: unknown,
  names: Placeholders,
  at: string,
): { difference: string | undefined; rest: unknown[] } {
  if (!Array.isArray(value)) return { difference: wrong(at, patterns, value), rest: [] }
  const rest: unknown[] = [...value]
  const difference = firstOf(patterns, (pattern) => {
    const found = rest.findIndex((item) => differ(pattern, item, names.copy(), at) === undefined)
    if (found < 0) return `${at} has nothing like ${brief(pattern)}: ${brief(value)}`
    return differ(pattern, rest.splice(found, 1)[0], names, at)
  })
  return { difference, rest }
}
