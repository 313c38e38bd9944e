/** The time that one request has, for all that it takes. */
export interface Deadline {
  /** At least 1, so that a late call fails by its own timer. */
  leftMs(): number
  isOver(): boolean
  /** The clock stands still while this runs: it is somebody else's time. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** The whole of it, for texts. */
  readonly seconds: number
}

/** Timers fire a little early or late; what comes this close to the deadline was cut by it. */
const SLACK_MS = 5

/** Starts the clock, or says that it has run since `startedAt` (of `performance.now()`). */
export function createDeadline(timeoutMs: number, startedAt = performance.now()): Deadline {
  let endsAt = startedAt + timeoutMs
  return {
    leftMs: () => Math.max(1, Math.ceil(endsAt - performance.now())),
    isOver: () => performance.now() >= endsAt - SLACK_MS,
    async hold(work) {
      const heldAt = performance.now()
      try {
        return await work()
      } finally {
        endsAt += performance.now() - heldAt
      }
    },
    seconds: Math.round(timeoutMs / 100) / 10,
  }
}
