import type { Worker } from '../bus/workers.ts'
import type { ArmedRule } from './armed-rule.ts'
import type { StopReading } from './rule.ts'
import { toSubject } from './subject.ts'

/** Stops reading what workers send. */
export interface Brake {
  /** Decides about a connection: once, as soon as it is one that the rule is about. */
  meet(worker: Worker): void
  /** Reads everybody again. */
  release(): void
}

export function createBrake(entry: ArmedRule<StopReading>): Brake {
  const met = new WeakSet<Worker>()
  const held = new Set<Worker>()

  function free(worker: Worker): void {
    if (held.delete(worker)) worker.resume()
  }

  return {
    meet(worker) {
      // A name is reported late: until the pattern fits, nothing is decided.
      if (met.has(worker) || !entry.fits(toSubject(worker))) return
      met.add(worker)
      if (!entry.strikes(toSubject(worker))) return
      held.add(worker)
      worker.pause()
      if (entry.rule.ms !== undefined) setTimeout(free, entry.rule.ms, worker).unref()
    },
    release() {
      for (const worker of held) free(worker)
    },
  }
}
