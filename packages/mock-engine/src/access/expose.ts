import { toMembers, toText } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/**
 * What a restricted listener lets its workers call: ids that match a pattern (`*` stands for anything), or functions whose
 * metadata has all these values.
 */
export type ExposeRule = string | { readonly metadata: Readonly<Record<string, unknown>> }

/** Whether a rule covers a function. */
export function covers(rule: ExposeRule, functionId: string, metadata: JsonText | undefined): boolean {
  if (typeof rule === 'string') return toPattern(rule).test(functionId)
  const members = toMembers(metadata ?? 'null')
  return Object.entries(rule.metadata).every(([key, value]) => members?.get(key) === toText(value))
}

function toPattern(rule: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${rule.split('*').map(literal).join('.*')}$`, 's')
}
