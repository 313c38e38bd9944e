import type { Worker } from '../bus/workers.ts'
import type { DropConnection } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import { toSubject } from './subject.ts'

/** Drops a connection if the rules say so. @returns whether they do. */
export function dropIfAsked(
  rules: Rulebook,
  when: NonNullable<DropConnection['when']>,
  worker: Worker | undefined,
  functionId?: string,
): boolean {
  if (!worker) return false
  const subject = toSubject(worker, functionId)
  const [first] = rules.of('drop-connection').filter((entry) => entry.rule.when === when && entry.strikes(subject))
  if (first) worker.evict(first.rule.how)
  return first !== undefined
}
