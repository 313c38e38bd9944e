import type { Calls } from '../bus/calls.ts'
import { checkRule } from './check-rule.ts'
import { totalDelay } from './delay.ts'
import { FaultRuleError } from './fault-rule-error.ts'
import { createFaultyCalls } from './faulty-calls.ts'
import { createLineFaults, type LineFaults } from './line-faults.ts'
import { shuffle } from './random.ts'
import type { FaultRule } from './rule.ts'
import { createRulebook, type Strike } from './rulebook.ts'
import { beginRule, type Premises } from './standing.ts'
import type { Scene } from './subject.ts'

/** What goes wrong on request. The engine asks here, at a few places, whether something is to. */
export interface Faults extends Pick<LineFaults, 'greeted' | 'received'> {
  /** Puts the faults of calls and results around the calls of a bus. */
  around(calls: Calls, scene: Scene): Calls
  /** The order in which a provider hears of bindings. */
  arrange<T extends { readonly functionId: string }>(bindings: readonly T[]): readonly T[]
  /** How long an HTTP request waits before it is taken up. @param functionId - of its route. */
  requestDelay(functionId: string | undefined): number
  /** Puts a rule in force. @throws FaultRuleError */
  inject(rule: FaultRule): Injected
  /** @returns a function that ends the watching. */
  watch(listener: (strike: Strike) => void): () => void
  /** Takes every rule back. */
  clear(): void
}

/** A rule that was injected. Calling it takes the rule back; what it held or refused goes on then. */
export interface Injected extends Disposable {
  (): void
  /** How often it has struck. */
  readonly struck: number
}

/** @param seed - makes what is left to chance the same each time. */
export function createFaults(seed: number, premises: Premises): Faults {
  const listeners = new Set<(strike: Strike) => void>()
  const injected = new Set<() => void>()
  const rules = createRulebook(seed, (strike) => {
    for (const listener of listeners) listener(strike)
  })
  const lines = createLineFaults(rules)

  return {
    around: (calls, scene) => createFaultyCalls(calls, rules, scene),
    arrange(bindings) {
      if (rules.empty) return bindings
      const mixed = bindings.filter(({ functionId }) => rules.striking('reorder', { functionId }).length > 0)
      const [rule] = rules.of('reorder')
      if (!rule || mixed.length < 2) return bindings
      const shuffled = shuffle(mixed, rule.random)
      return bindings.map((binding) => (mixed.includes(binding) ? (shuffled.shift() ?? binding) : binding))
    },
    greeted: lines.greeted,
    received: (worker, frame) => rules.empty || lines.received(worker, frame),
    requestDelay: (functionId) => totalDelay(rules.striking('slow-http', { functionId })),
    inject(given) {
      const rule = checkRule(given)
      const objection = premises.objection(rule)
      if (objection !== undefined) throw new FaultRuleError(`${rule.fault}: ${objection}`)
      const entry = rules.arm(rule)
      const undo = beginRule(entry, lines, premises)
      const takeBack = () => {
        if (!injected.delete(takeBack)) return
        rules.disarm(entry)
        undo()
      }
      injected.add(takeBack)
      return Object.defineProperties(() => takeBack(), {
        struck: { get: () => entry.struck },
        [Symbol.dispose]: { value: takeBack },
      }) as Injected
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    clear() {
      for (const takeBack of injected) takeBack()
    },
  }
}
