import { CATALOG, type CatalogEntry } from './catalog.ts'
import { FaultRuleError } from './fault-rule-error.ts'
import type { Field } from './field.ts'
import { findNearest } from './nearest.ts'
import type { FaultName, FaultRule } from './rule.ts'

/** Takes a rule as it was given. @returns a copy of it, its fields in the order of the catalog. @throws FaultRuleError that says what would be right. */
export function checkRule(given: unknown): FaultRule {
  const { fault, ...values } = isRecord(given) ? given : {}
  const name = toFaultName(fault)
  const { fields, contradiction } = CATALOG[name] as CatalogEntry
  for (const key of Object.keys(values)) fieldOf(name, key)
  const rule: Record<string, unknown> = { fault: name }
  for (const [key, field] of Object.entries<Field>(fields)) {
    const value = values[key]
    if (value !== undefined) rule[key] = checkValue(name, key, field, value)
    else if (field.needed) throw new FaultRuleError(`${name} needs ${key}: ${field.takes}`)
  }
  const problem = contradiction?.(rule as never)
  if (problem !== undefined) throw new FaultRuleError(`${name}: ${problem}`)
  return rule as unknown as FaultRule
}

/** The fault of this name. @throws FaultRuleError that names the nearest. */
export function toFaultName(name: unknown): FaultName {
  if (typeof name === 'string' && Object.hasOwn(CATALOG, name)) return name as FaultName
  const names = Object.keys(CATALOG)
  const nearest = typeof name === 'string' ? findNearest(name, names) : undefined
  throw new FaultRuleError(
    typeof name === 'string' && name !== ''
      ? `there is no fault '${name}'${advise(nearest, names)}`
      : `a rule needs a fault: one of ${names.join(', ')}`,
  )
}

/** The field of this name. @throws FaultRuleError that names the nearest. */
export function fieldOf(fault: FaultName, key: string): Field {
  const fields: Readonly<Record<string, Field>> = CATALOG[fault].fields
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (field) return field
  const names = Object.keys(fields)
  throw new FaultRuleError(`${fault} has no '${key}'${advise(findNearest(key, names), names)}`)
}

function advise(nearest: string | undefined, all: readonly string[]): string {
  return nearest === undefined ? `: it is one of ${all.join(', ')}` : `; did you mean '${nearest}'?`
}

function checkValue(fault: FaultName, key: string, field: Field, value: unknown): unknown {
  if (field.fits(value)) return value
  throw new FaultRuleError(`${fault}: ${key} takes ${field.takes}, not ${JSON.stringify(value) ?? String(value)}`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
