import { type ArmedRule, armRule } from './armed-rule.ts'
import type { FaultName, FaultRule, RuleOf } from './rule.ts'
import { formatRule } from './rule-text.ts'
import type { Subject } from './subject.ts'

/** A fault that struck. */
export interface Strike {
  readonly rule: FaultRule
  readonly functionId: string | undefined
  /** Name of the worker, or the id of a connection that has reported none. */
  readonly worker: string | undefined
}

/** The rules in force. */
export interface Rulebook {
  /** Whether there are none. */
  readonly empty: boolean
  /** The rules about a fault, in the order they were armed. */
  of<N extends FaultName>(fault: N): readonly ArmedRule<RuleOf<N>>[]
  /** Those of them that strike at an occasion. Each is asked, whatever the others say. */
  striking<N extends FaultName>(fault: N, subject: Subject): readonly ArmedRule<RuleOf<N>>[]
  /** Puts a rule in force that was found right. */
  arm(rule: FaultRule): ArmedRule
  disarm(entry: ArmedRule): void
}

const NONE: readonly never[] = []

/** @param onStrike - told of each strike of any rule. */
export function createRulebook(seed: number, onStrike: (strike: Strike) => void): Rulebook {
  const armed = new Map<FaultName, readonly ArmedRule[]>()
  const copies = new Map<string, number>()

  /** The stream depends on what a rule says and on how often the same was said before, not on the other rules. */
  function seedOf(rule: FaultRule): string {
    const text = formatRule(rule)
    const copy = (copies.get(text) ?? 0) + 1
    copies.set(text, copy)
    return `${seed} ${copy} ${text}`
  }

  const of = <N extends FaultName>(fault: N) => (armed.get(fault) ?? NONE) as readonly ArmedRule<RuleOf<N>>[]
  return {
    get empty() {
      return armed.size === 0
    },
    of,
    striking: (fault, subject) => of(fault).filter((entry) => entry.strikes(subject)),
    arm(rule) {
      const entry = armRule(rule, seedOf(rule), ({ functionId, workerId, workerName }) =>
        onStrike({ rule, functionId, worker: workerName ?? workerId }),
      )
      armed.set(rule.fault, [...of(rule.fault), entry])
      return entry
    },
    disarm(entry) {
      const { fault } = entry.rule
      const others = of(fault).filter((other: ArmedRule) => other !== entry)
      if (others.length > 0) armed.set(fault, others)
      else armed.delete(fault)
    },
  }
}
