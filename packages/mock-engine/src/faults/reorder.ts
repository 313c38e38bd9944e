import { shuffle } from './random.ts'
import type { Reorder } from './rule.ts'
import type { ArmedRule, Rulebook, Subject } from './rulebook.ts'

const WINDOW_MS = 20

/**
 * Does things in another order for which none is promised: what comes within one window of a rule is done at its end, shuffled.
 *
 * @returns a function that does something now, or among others when a rule says so.
 */
export function createReordering(rules: Rulebook): (subject: Subject, work: () => void) => void {
  const windows = new WeakMap<ArmedRule<Reorder>, (() => void)[]>()

  function close(entry: ArmedRule<Reorder>): void {
    const waiting = windows.get(entry) ?? []
    windows.delete(entry)
    for (const work of shuffle(waiting, entry.random)) work()
  }

  return (subject, work) => {
    const [entry] = rules.striking('reorder', subject)
    if (!entry) return work()
    const waiting = windows.get(entry)
    if (waiting) waiting.push(work)
    else {
      windows.set(entry, [work])
      setTimeout(close, entry.rule.windowMs ?? WINDOW_MS, entry).unref()
    }
  }
}

/** The order in which a provider hears of bindings. */
export function reorderBindings<T extends { readonly functionId: string }>(
  rules: Rulebook,
  bindings: readonly T[],
): readonly T[] {
  if (rules.empty) return bindings
  const fitting = bindings.filter(({ functionId }) => rules.striking('reorder', { functionId }).length > 0)
  const [rule] = rules.of('reorder')
  if (!rule || fitting.length < 2) return bindings
  const shuffled = shuffle(fitting, rule.random)
  return bindings.map((binding) => (fitting.includes(binding) ? (shuffled.shift() ?? binding) : binding))
}
