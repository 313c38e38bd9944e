import type { ArmedRule } from './armed-rule.ts'
import { shuffle } from './random.ts'
import type { Reorder } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import type { Subject } from './subject.ts'

/** Does in another order what comes without a promised one. */
export interface Mixing {
  /** Does something now, or among others when a rule says so. */
  run(subject: Subject, work: () => void): void
}

const WINDOW_MS = 20

/** What comes within one window of a rule is done at its end, shuffled. */
export function createMixing(rules: Rulebook): Mixing {
  const windows = new WeakMap<ArmedRule<Reorder>, (() => void)[]>()

  function close(entry: ArmedRule<Reorder>): void {
    const waiting = windows.get(entry) ?? []
    windows.delete(entry)
    for (const work of shuffle(waiting, entry.random)) work()
  }

  return {
    run(subject, work) {
      const [entry] = rules.striking('reorder', subject)
      if (!entry) return work()
      const waiting = windows.get(entry)
      if (waiting) waiting.push(work)
      else {
        windows.set(entry, [work])
        setTimeout(close, entry.rule.windowMs ?? WINDOW_MS, entry).unref()
      }
    },
  }
}
