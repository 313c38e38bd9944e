import type { CronField } from './fields.ts'

/** One entry of a field's list, as it is written. */
export type CronItem =
  | { readonly kind: 'all' | 'point'; readonly from: string; readonly step: string | undefined }
  | { readonly kind: 'range'; readonly from: string; readonly to: string; readonly step: string | undefined }

/** The values that a list stands for. @returns what is wrong with it when it cannot be. */
export function toValues(field: CronField, items: readonly CronItem[]): ReadonlySet<number> | string {
  const values = new Set<number>()
  for (const item of items) {
    const range = toRange(field, item)
    if (typeof range === 'string') return range
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
  }
  return values
}

function toRange(field: CronField, item: CronItem): { from: number; to: number; step: number } | string {
  const ends = toEnds(field, item)
  if (typeof ends === 'string') return ends
  if (item.step === undefined) return { ...ends, step: 1 }
  const step = Number(item.step)
  if (step === 0) return 'range step cannot be zero'
  if (step <= field.max) return { ...ends, step }
  return `${field.name} must be between ${Math.max(1, field.min)} and ${field.max}. ('${item.step}' specified.)`
}

function toEnds(field: CronField, item: CronItem): { from: number; to: number } | string {
  if (item.kind === 'all') return { from: field.min, to: field.max }
  const from = toValue(field, item.from)
  if (item.kind === 'range') return toRangeEnds(field, item.from, item.to)
  if (typeof from === 'string') return from
  // `5/10` runs from 5 to the end.
  return { from, to: item.step === undefined ? from : field.max }
}

/** A wrong name is told as such, a number out of bounds is a wrong range. */
function toRangeEnds(field: CronField, from: string, to: string): { from: number; to: number } | string {
  const ends = { from: toValue(field, from), to: toValue(field, to) }
  const wrongName = isName(from) && Object.values(ends).find((end) => typeof end === 'string')
  if (wrongName) return wrongName
  if (typeof ends.from === 'number' && typeof ends.to === 'number' && ends.from <= ends.to) {
    return { from: ends.from, to: ends.to }
  }
  return `Invalid ${isName(from) ? 'named ' : ''}range for ${field.name}: ${from}-${to}`
}

function isName(text: string): boolean {
  return !/^\d/.test(text)
}

function toValue(field: CronField, text: string): number | string {
  if (isName(text)) return toNamed(field, text)
  const value = Number(text)
  if (value > field.max) return `${field.name} must be less than ${field.max}. ('${value}' specified.)`
  if (value < field.min) return `${field.name} must be greater than or equal to ${field.min}. ('${value}' specified.)`
  return value
}

function toNamed({ name, names, nameKind, min }: CronField, text: string): number | string {
  if (!names) return `The '${name}' field does not support using names. '${text}' specified.`
  const at = names.findIndex((spellings) => spellings.includes(text.toLowerCase()))
  return at < 0 ? `'${text}' is not a valid ${nameKind}.` : at + min
}
