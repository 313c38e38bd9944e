import type { ArmedRule } from './armed-rule.ts'
import type { DelayCall, DelayResult, SlowHttp } from './rule.ts'

/** The sum of what delaying rules draw. */
export function totalDelay(rules: readonly ArmedRule<DelayCall | DelayResult | SlowHttp>[]): number {
  return rules.reduce((sum, entry) => sum + entry.draw(entry.rule.ms), 0)
}

/** Does something after so many milliseconds; at once when it is not to be delayed. */
export function later(delayMs: number, work: () => void): void {
  if (delayMs > 0) setTimeout(work, delayMs).unref()
  else work()
}
