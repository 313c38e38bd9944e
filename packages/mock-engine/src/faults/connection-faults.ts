import type { BusWorker } from '../bus/workers.ts'
import type { Frame } from '../wire/frames.ts'
import type { DropConnection, StopReading } from './rule.ts'
import { type ArmedRule, type Rulebook, toSubject } from './rulebook.ts'

/** The faults of connections. */
export interface ConnectionFaults {
  /** A worker was greeted. */
  greeted(worker: BusWorker): void
  /** A frame came. @returns whether it is to be handled. */
  received(worker: BusWorker, frame: Frame): boolean
  /** Drops those of the connections that a rule is about. */
  dropNow(entry: ArmedRule<DropConnection>, present: readonly BusWorker[]): void
  /** Reads nothing of those of the connections that a rule is about, nor of those to come. @returns how that is undone. */
  stopReading(entry: ArmedRule<StopReading>, present: readonly BusWorker[]): () => void
}

export function createConnectionFaults(rules: Rulebook): ConnectionFaults {
  const pauses = new Set<(worker: BusWorker) => void>()
  return {
    greeted: (worker) => void dropIfAsked(rules, 'connect', worker),
    received(worker, frame) {
      for (const pause of pauses) pause(worker)
      const id = registeredId(frame)
      return id === undefined || !dropIfAsked(rules, 'register', worker, id)
    },
    dropNow(entry, present) {
      for (const worker of present) if (entry.strikes(toSubject(worker))) worker.evict(entry.rule.how)
    },
    stopReading(entry, present) {
      const paused = new Set<BusWorker>()
      const resume = (worker: BusWorker) => {
        if (paused.delete(worker)) worker.resume()
      }
      const pause = createPause(entry, paused, resume)
      pauses.add(pause)
      for (const worker of present) pause(worker)
      return () => {
        pauses.delete(pause)
        for (const worker of paused) resume(worker)
      }
    },
  }
}

/** Decides about a connection: once, as soon as it is one that the rule is about. */
function createPause(
  entry: ArmedRule<StopReading>,
  paused: Set<BusWorker>,
  resume: (worker: BusWorker) => void,
): (worker: BusWorker) => void {
  const decided = new WeakSet<BusWorker>()
  return (worker) => {
    // A name is reported late: until the pattern fits, nothing is decided.
    if (decided.has(worker) || !entry.fits(toSubject(worker))) return
    decided.add(worker)
    if (!entry.strikes(toSubject(worker))) return
    paused.add(worker)
    worker.pause()
    if (entry.rule.ms !== undefined) setTimeout(resume, entry.rule.ms, worker).unref()
  }
}

/** Drops a connection if the rules say so. @returns whether they do. */
export function dropIfAsked(
  rules: Rulebook,
  when: NonNullable<DropConnection['when']>,
  worker: BusWorker | undefined,
  functionId?: string,
): boolean {
  if (!worker) return false
  const subject = toSubject(worker, functionId)
  const [first] = rules.of('drop-connection').filter((entry) => entry.rule.when === when && entry.strikes(subject))
  if (first) worker.evict(first.rule.how)
  return first !== undefined
}

/** The function that a registration is about, or the trigger type that is registered. */
function registeredId(frame: Frame): string | undefined {
  if (frame.type === 'registerfunction' || frame.type === 'registertriggertype') return frame.id
  return frame.type === 'registertrigger' ? frame.functionId : undefined
}
