import type { FaultRule } from './rule.ts'
import { formatRule } from './rule-text.ts'
import type { Strike } from './rulebook.ts'

/** Of each rule at most one line in so many milliseconds. */
const QUIET_MS = 1000

/** Tells of strikes in words, without flooding whoever listens. */
export function createStrikeLog(say: (line: string) => void, now = () => performance.now()): (strike: Strike) => void {
  const told = new Map<FaultRule, { at: number; untold: number }>()
  return ({ rule, functionId, worker }) => {
    const last = told.get(rule)
    if (last && now() - last.at < QUIET_MS) {
      last.untold++
      return
    }
    told.set(rule, { at: now(), untold: 0 })
    const place = [functionId, worker && `worker ${worker}`].filter(Boolean).join(', ')
    const more = last && last.untold > 0 ? ` (and ${last.untold} times since the last line)` : ''
    say(`fault ${formatRule(rule)} struck${place === '' ? '' : `: ${place}`}${more}`)
  }
}
