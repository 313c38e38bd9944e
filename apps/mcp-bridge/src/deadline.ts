/** The time that one request has, for all that it takes. */
export interface Deadline {
  /** At least 1, so that a late call fails by its own timer. */
  leftMs(): number
  isOver(): boolean
  /** The whole of it, for texts. */
  readonly seconds: number
}

/** Timers fire a little early or late; what comes this close to the deadline was cut by it. */
const SLACK_MS = 5

/** Starts the clock. */
export function createDeadline(timeoutMs: number): Deadline {
  const endsAt = performance.now() + timeoutMs
  return {
    leftMs: () => Math.max(1, Math.ceil(endsAt - performance.now())),
    isOver: () => performance.now() >= endsAt - SLACK_MS,
    seconds: Math.round(timeoutMs / 100) / 10,
  }
}
