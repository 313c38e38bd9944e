import { toMembers, toStringValue, toText } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/**
 * What a restricted listener lets its workers call: ids that match a pattern (`*` stands for anything), or functions whose
 * metadata has all these values; a value written `match("pro-*")` is a pattern for strings.
 */
export type ExposeRule = string | { readonly metadata: Readonly<Record<string, unknown>> }

/** Whether a rule covers a function. */
export function covers(rule: ExposeRule, functionId: string, metadata: JsonText | undefined): boolean {
  if (typeof rule === 'string') return toPattern(rule).test(functionId)
  const members = toMembers(metadata ?? 'null')
  return Object.entries(rule.metadata).every(([key, value]) => fits(value, members?.get(key)))
}

function fits(wanted: unknown, value: JsonText | undefined): boolean {
  const pattern = typeof wanted === 'string' ? /^match\("(.*)"\)$/s.exec(wanted)?.[1] : undefined
  if (pattern === undefined) return value === toText(wanted)
  const text = toStringValue(value)
  return text !== undefined && toPattern(pattern).test(text)
}

function toPattern(rule: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${rule.split('*').map(literal).join('.*')}$`, 's')
}
