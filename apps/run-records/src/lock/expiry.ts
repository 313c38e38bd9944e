import type { LockClock } from './lease.ts'
import type { Held } from './lock-row.ts'

/** Whether the beats of a holder stand still, by the clock of who looks: those of two machines are never compared. */
export interface Expiry {
  isReached(name: string, held: Held): boolean
}

/** @param forMs how long the same counter must have been seen */
export function createExpiry(forMs: number, clock: LockClock): Expiry {
  const seen = new Map<string, { token: string; beats: number; since: number }>()
  return {
    isReached(name, { token, beats }) {
      const last = seen.get(name)
      if (last?.token === token && last.beats === beats) return clock.now() - last.since >= forMs
      seen.set(name, { token, beats, since: clock.now() })
      return false
    },
  }
}
