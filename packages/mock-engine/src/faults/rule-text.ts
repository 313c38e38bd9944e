import { formatAdvice } from '../suggestions/mistyped.ts'
import { findNearest } from '../suggestions/nearest.ts'
import { CATALOG, type CatalogEntry, type RuleField } from './catalog.ts'
import type { FaultName, FaultRule, Milliseconds } from './rule.ts'

/** A fault rule that cannot be carried out; the text says what would be right. */
export class FaultRuleError extends Error {
  override name = 'FaultRuleError'
}

/** A word, or a field whose value is in quotes. */
const TOKEN = /[^\s"]+"(?:[^"\\]|\\.)*"|\S+/g

/**
 * Reads a rule as it stands on the command line: the fault, then its fields.
 *
 * @throws FaultRuleError that says what would be right.
 *
 * @example
 * readRule('delay-call function=orders::* ms=10..50') // { fault: 'delay-call', function: 'orders::*', ms: [10, 50] }
 */
export function readRule(text: string): FaultRule {
  const [first = '', ...tokens] = text.match(TOKEN) ?? []
  const fault = toFaultName(first)
  const fields = tokens.map((token) => {
    const at = token.indexOf('=')
    const key = at < 0 ? token : token.slice(0, at)
    const field = fieldOf(fault, key)
    if (at < 0) throw new FaultRuleError(`${fault}: ${key} is written ${key}=${field.form}`)
    return [key, field.read(unquote(token.slice(at + 1)))]
  })
  return checkRule({ fault, ...(Object.fromEntries(fields) as object) })
}

/** Writes a rule as {@link readRule} reads it. */
export function formatRule({ fault, ...fields }: FaultRule): string {
  const said = Object.entries(fields).filter((field): field is [string, FieldValue] => field[1] !== undefined)
  return [fault, ...said.map(([key, value]) => `${key}=${formatValue(value)}`)].join(' ')
}

type FieldValue = string | Milliseconds

function formatValue(value: FieldValue): string {
  if (typeof value === 'object') return value.join('..')
  return typeof value === 'number' || /^[^\s"]+$/.test(value) ? String(value) : JSON.stringify(value)
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    return JSON.parse(text) as string
  } catch {
    throw new FaultRuleError(`${text} is no text in quotes`)
  }
}

/** Takes a rule as it was given. @returns a copy of it, its fields in the order of the catalog. @throws FaultRuleError that says what would be right. */
export function checkRule(given: unknown): FaultRule {
  const { fault, ...values } = isRecord(given) ? given : {}
  const name = toFaultName(fault)
  const { fields, contradiction } = CATALOG[name] as CatalogEntry
  for (const key of Object.keys(values)) fieldOf(name, key)
  const rule: Record<string, unknown> = { fault: name }
  for (const [key, field] of Object.entries<RuleField>(fields)) {
    const value = values[key]
    if (value !== undefined) rule[key] = checkValue(name, key, field, value)
    else if (field.needed) throw new FaultRuleError(`${name} needs ${key}: ${field.takes}`)
  }
  const problem = contradiction?.(rule as never)
  if (problem !== undefined) throw new FaultRuleError(`${name}: ${problem}`)
  return rule as unknown as FaultRule
}

/** The fault of this name. @throws FaultRuleError that names the nearest. */
function toFaultName(name: unknown): FaultName {
  if (typeof name === 'string' && Object.hasOwn(CATALOG, name)) return name as FaultName
  const names = Object.keys(CATALOG)
  const nearest = typeof name === 'string' ? findNearest(name, names) : undefined
  throw new FaultRuleError(
    typeof name === 'string' && name !== ''
      ? `there is no fault '${name}'${formatAdvice(nearest, names)}`
      : `a rule needs a fault: one of ${names.join(', ')}`,
  )
}

/** The field of this name. @throws FaultRuleError that names the nearest. */
function fieldOf(fault: FaultName, key: string): RuleField {
  const fields: Readonly<Record<string, RuleField>> = CATALOG[fault].fields
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (field) return field
  const names = Object.keys(fields)
  throw new FaultRuleError(`${fault} has no '${key}'${formatAdvice(findNearest(key, names), names)}`)
}

function checkValue(fault: FaultName, key: string, field: RuleField, value: unknown): unknown {
  if (field.fits(value)) return value
  throw new FaultRuleError(`${fault}: ${key} takes ${field.takes}, not ${JSON.stringify(value) ?? String(value)}`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
