/** The pace of locks. Every process that shares a store has the same. */
export interface LockTimings {
  /** Between two beats of a holder. */
  beatEveryMs: number
  /** How long a confirmed beat allows its holder to start something. */
  confirmedForMs: number
  /** How long the beats of a holder that is gone must stand still before its claim is ended. */
  deadAfterMs: number
  /** Between two looks of somebody who waits. */
  lookEveryMs: number
  /** How long one call of the store may take. */
  callTimeoutMs: number
}

export const LOCK_TIMINGS: LockTimings = {
  beatEveryMs: 5000,
  confirmedForMs: 5000,
  deadAfterMs: 15_000,
  lookEveryMs: 500,
  callTimeoutMs: 4000,
}
