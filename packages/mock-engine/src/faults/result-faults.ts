import type { ArmedRule } from './armed-rule.ts'
import { later, totalDelay } from './delay.ts'
import { dropIfAsked } from './drop.ts'
import type { Rulebook } from './rulebook.ts'
import type { Scene, Subject } from './subject.ts'

/** A call that was made while rules were in force, and what they decided about it. */
export interface Flight {
  readonly subject: Subject
  readonly callerId: string | undefined
  readonly handedAt: number
  /** About its early copies: each rule decides once. */
  readonly early: Map<ArmedRule, boolean>
  /** About its result: for every copy of it. */
  fate: { readonly lost: boolean; readonly delayMs: number } | undefined
}

export function createFlight(subject: Subject, callerId: string | undefined): Flight {
  return { subject, callerId, handedAt: performance.now(), early: new Map(), fate: undefined }
}

/** Lets a result, or a copy of one, arrive: now, later or never. */
export function landResult(rules: Rulebook, scene: Scene, flight: Flight, take: () => void): void {
  if (isTooEarly(rules, flight)) return
  flight.fate ??= decide(rules, scene, flight.subject)
  if (!flight.fate.lost) later(flight.fate.delayMs, take)
}

function decide(rules: Rulebook, { workers }: Scene, subject: Subject): NonNullable<Flight['fate']> {
  const lost = rules.striking('lose-result', subject).length > 0
  const delayMs = totalDelay(rules.striking('delay-result', subject))
  const dropped = dropIfAsked(rules, 'result', workers.get(subject.workerId ?? ''), subject.functionId)
  return { lost: lost || dropped, delayMs }
}

/** Only what comes over a connection can be too early. */
function isTooEarly(rules: Rulebook, { subject, handedAt, early }: Flight): boolean {
  if (subject.workerId === undefined) return false
  const ageMs = performance.now() - handedAt
  const decided = rules
    .of('lose-early-result')
    .filter(({ rule }) => ageMs < (rule.withinMs ?? 1))
    .map((entry) => {
      const lost = early.get(entry) ?? entry.strikes(subject)
      early.set(entry, lost)
      return lost
    })
  return decided.includes(true)
}
