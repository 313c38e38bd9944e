import { isDeepStrictEqual } from 'node:util'
import { combine, explainConflict, type Given, type OptionRules, type Place } from '../run/given.ts'
import type { AnyOptionTable, OptionSpec } from '../run/option-table.ts'

/** Who is heard first, where an option is set in several places; what nobody sets is the default. */
export const PRECEDENCE: readonly Place[] = ['flag', 'store', 'environment', 'file']

/** What counts, with the store. */
export interface Layers<T> {
  value: Readonly<T>
  /** Where it comes from, by the option's name; without the defaults. */
  given: ReadonlyMap<string, Given>
  /** What is stored and does not count as it is, and why. */
  remarks: readonly string[]
}

/**
 * Lays what is stored over what flags, environment and file say, as far as each option allows it. Stored values that cannot go together with
 * the others do not count.
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
    const spec = table[name]
    if (spec === undefined || isBefore(given.get(name)?.from, one.from)) continue
    const { said, remark } = weigh(spec, given.get(name), one)
    put(counting, name, said)
    remarks.push(...remark)
  }
  for (;;) {
    const { value, conflict } = combine(rules, counting)
    const names = (conflict?.options ?? []).filter((name) => counting.get(name)?.from === 'store')
    if (conflict === undefined || names.length === 0) return { value, given: counting, remarks }
    remarks.push(`${explainConflict(conflict, rules, counting)}; what is stored of them does not count`)
    for (const name of names) put(counting, name, given.get(name))
  }
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

function isBefore(place: Place | undefined, other: Place): boolean {
  return place !== undefined && PRECEDENCE.indexOf(place) < PRECEDENCE.indexOf(other)
}
