import type { Frame } from '../bus/frames.ts'
import type { Worker } from '../bus/workers.ts'
import type { ArmedRule } from './armed-rule.ts'
import { type Brake, createBrake } from './brake.ts'
import { dropIfAsked } from './drop.ts'
import type { DropConnection, StopReading } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import { toSubject } from './subject.ts'

/** The faults of connections. */
export interface LineFaults {
  /** A worker was greeted. */
  greeted(worker: Worker): void
  /** A frame came. @returns whether it is to be handled. */
  received(worker: Worker, frame: Frame): boolean
  /** Drops those of the connections that a rule is about. */
  dropNow(entry: ArmedRule<DropConnection>, present: readonly Worker[]): void
  /** Holds those of the connections that a rule is about, and those to come. @returns how that is undone. */
  stopReading(entry: ArmedRule<StopReading>, present: readonly Worker[]): () => void
}

export function createLineFaults(rules: Rulebook): LineFaults {
  const brakes = new Set<Brake>()
  return {
    greeted: (worker) => void dropIfAsked(rules, 'connect', worker),
    received(worker, frame) {
      for (const brake of brakes) brake.meet(worker)
      const id = registeredId(frame)
      return id === undefined || !dropIfAsked(rules, 'register', worker, id)
    },
    dropNow(entry, present) {
      for (const worker of present) if (entry.strikes(toSubject(worker))) worker.evict(entry.rule.how)
    },
    stopReading(entry, present) {
      const brake = createBrake(entry)
      brakes.add(brake)
      for (const worker of present) brake.meet(worker)
      return () => {
        brakes.delete(brake)
        brake.release()
      }
    },
  }
}

/** The function that a registration is about, or the trigger type that is registered. */
function registeredId(frame: Frame): string | undefined {
  if (frame.type === 'registerfunction' || frame.type === 'registertriggertype') return frame.id
  return frame.type === 'registertrigger' ? frame.functionId : undefined
}
