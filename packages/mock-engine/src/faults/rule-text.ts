import { checkRule, fieldOf, toFaultName } from './check-rule.ts'
import { FaultRuleError } from './fault-rule-error.ts'
import type { FaultRule } from './rule.ts'

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
  return [fault, ...Object.entries(fields).map(([key, value]) => `${key}=${formatValue(value)}`)].join(' ')
}

function formatValue(value: string | number | readonly number[]): string {
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
