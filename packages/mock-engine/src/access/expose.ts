import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { toMembers, toStringValue, toText } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/**
 * What a restricted listener lets its workers call: ids that match a pattern (`*` stands for anything), or functions whose
 * metadata has all these values; a value written `match("pro-*")` is a pattern for strings. A rule that names no namespace
 * is about the default one, and on engine 0.22 everything is there.
 */
export type ExposeRule =
  | string
  | { readonly match: string; readonly namespace?: string }
  | { readonly metadata: Readonly<Record<string, unknown>>; readonly namespace?: string }

/** A function that somebody wants to reach. */
export interface CallTarget {
  readonly id: string
  readonly namespace: string
  readonly metadata: JsonText | undefined
}

/** Whether a rule covers a function. */
export function covers(rule: ExposeRule, { id, namespace, metadata }: CallTarget): boolean {
  if (typeof rule === 'string') return covers({ match: rule }, { id, namespace, metadata })
  if ((rule.namespace ?? DEFAULT_NAMESPACE) !== namespace) return false
  if ('match' in rule) return toPattern(rule.match).test(id)
  const members = toMembers(metadata ?? 'null')
  return Object.entries(rule.metadata).every(([key, value]) => fits(value, members?.get(key)))
}

/** Whether an id is meant by a grant: a pattern, written alone or as `match("...")`. */
export function matchesGrant(grant: string, id: string): boolean {
  return toPattern(unwrap(grant) ?? grant).test(id)
}

function fits(wanted: unknown, value: JsonText | undefined): boolean {
  const pattern = typeof wanted === 'string' ? unwrap(wanted) : undefined
  if (pattern === undefined) return value === toText(wanted)
  const text = toStringValue(value)
  return text !== undefined && toPattern(pattern).test(text)
}

function unwrap(text: string): string | undefined {
  return /^match\("(.*)"\)$/s.exec(text)?.[1]
}

function toPattern(rule: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${rule.split('*').map(literal).join('.*')}$`, 's')
}
