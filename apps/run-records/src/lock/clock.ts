import { setTimeout as wait } from 'node:timers/promises'
import type { LockClock } from './lease.ts'

/** The clock of this process. What waits does not keep it alive. */
export const lockClock: LockClock = {
  now: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined),
}
