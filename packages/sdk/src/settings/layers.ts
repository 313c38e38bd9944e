import { isDeepStrictEqual } from 'node:util'
import { combineOptions, explainConflict, type Given, type OptionPlace, type OptionRules } from '../options/given.ts'
import type { AnyOptionTable, OptionSpec } from '../options/option-table.ts'

/** Who is heard first, where an option is set in several places; what nobody sets is the default. */
export const PRECEDENCE: readonly OptionPlace[] = ['flag', 'store', 'environment', 'file']

/** What counts, with the store. */
export interface Layers<T> {
  value: Readonly<T>
  /** Where it comes from, by the option's name; without the defaults. */
  given: ReadonlyMap<string, Given>
  /** What is stored and does not count as it is, and why. */
  remarks: readonly string[]
}

/**
 * Lays what is stored over what flags, environment and file say, as far as each option allows it. Where a stored value cannot go together
 * with others, what environment and file say yields if that is stricter, else the stored value does.
 *
 * @param given from flags, environment and file, without a conflict of its own
 */
export function layOver<T>(
  rules: OptionRules<T>,
  given: ReadonlyMap<string, Given>,
  stored: ReadonlyMap<string, Given>,
): Layers<T> {
  const table = rules.options as unknown as AnyOptionTable
  const counting = new Map(given)
  const remarks: string[] = []
  for (const [name, one] of stored) {
    const [spec, ours] = [table[name], given.get(name)]
    if (spec === undefined) continue
    if (ours !== undefined && isBefore(ours.from, one.from)) {
      remarks.push(...explainFirst(spec, ours, one))
      continue
    }
    const { said, remark } = weigh(spec, ours, one)
    put(counting, name, said)
    remarks.push(...remark)
  }
  return settle({ rules, given, counting, remarks })
}

interface Unsettled<T> {
  rules: OptionRules<T>
  given: ReadonlyMap<string, Given>
  counting: Map<string, Given>
  remarks: string[]
}

/** Takes back what cannot go together, on one side or the other. */
function settle<T>(unsettled: Unsettled<T>): Layers<T> {
  const { rules, counting, remarks } = unsettled
  for (;;) {
    const { value, conflict } = combineOptions(rules, counting)
    const stored = (conflict?.options ?? []).filter((name) => counting.get(name)?.from === 'store')
    if (conflict === undefined || stored.length === 0) return { value, given: counting, remarks }
    const reason = explainConflict(conflict, rules, counting)
    remarks.push(`${reason}; ${takeBack(unsettled, conflict.options, stored)}`)
  }
}

/** @returns what becomes of the options */
function takeBack<T>(
  { rules, given, counting }: Unsettled<T>,
  names: readonly string[],
  stored: readonly string[],
): string {
  const table = rules.options as unknown as AnyOptionTable
  const yielding = names.filter((name) => canYield(table[name], counting.get(name)))
  for (const name of yielding) counting.delete(name)
  if (yielding.length > 0) return 'the stricter counts'
  for (const name of stored) put(counting, name, given.get(name))
  return 'what is stored of them does not count'
}

/** Whether the store could say the default in its place, because that is stricter. No flag yields. */
function canYield(spec: OptionSpec<unknown> | undefined, said: Given | undefined): boolean {
  if (said === undefined || said.from === 'flag' || typeof spec?.stored !== 'function') return false
  return isDeepStrictEqual(spec.stored(said.value, spec.default), spec.default)
}

/** Whoever changes the form should not wonder why nothing happens. */
function explainFirst(spec: OptionSpec<unknown>, ours: Given, stored: Given): readonly string[] {
  if (spec.stored === undefined || isDeepStrictEqual(ours.value, stored.value)) return []
  const [there, here] = [stored.value, ours.value].map((one) => JSON.stringify(one))
  return [`${stored.name}: ${there} does not count: ${ours.name} (${ours.from}) says ${here}`]
}

/** What counts of an option that is set on both sides. */
function weigh(
  spec: OptionSpec<unknown>,
  ours: Given | undefined,
  stored: Given,
): { said: Given | undefined; remark: string[] } {
  if (spec.stored === undefined) return { said: ours, remark: [] }
  if (spec.stored === 'any') return { said: stored, remark: [] }
  const before = ours === undefined ? spec.default : ours.value
  const value = spec.stored(before, stored.value)
  const said = isDeepStrictEqual(value, before) ? ours : { ...stored, value }
  if (isDeepStrictEqual(value, stored.value)) return { said, remark: [] }
  const [there, here] = [stored.value, value].map((one) => JSON.stringify(one))
  return {
    said,
    remark: [`${stored.name}: ${there} would be less strict than flags, environment and file; ${here} counts`],
  }
}

function put(counting: Map<string, Given>, name: string, said: Given | undefined): void {
  if (said === undefined) counting.delete(name)
  else counting.set(name, said)
}

function isBefore(place: OptionPlace, other: OptionPlace): boolean {
  return PRECEDENCE.indexOf(place) < PRECEDENCE.indexOf(other)
}
