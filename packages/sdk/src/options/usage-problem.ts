import type { CommandLine } from './command-line.ts'
import { combine, explainConflict, type OptionRules } from './given.ts'

/** A conflict that no file can settle: what flags and environment say stays. Undefined when there is none. */
export function findUsageProblem<T>(rules: OptionRules<T>, { own, config, print }: CommandLine): string | undefined {
  const { conflict } = combine(rules, own)
  if (conflict === undefined || print !== undefined) return undefined
  const isFinal = config === undefined || conflict.options.every((name) => own.has(name))
  return isFinal ? explainConflict(conflict, rules, own) : undefined
}
