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

export interface DeadlineOptions {
  /** What its client and its carrier leave it. */
  readonly clientMs: number
  /** What the function says that it needs; it may ask for less time than its client has, never for more. @default clientMs */
  readonly functionMs: number | undefined
  /** Since when the clock runs, of `performance.now()`. @default now */
  readonly startedAt: number | undefined
}

export function createDeadline({ clientMs, functionMs = clientMs, startedAt }: DeadlineOptions): Deadline {
  const timeoutMs = Math.min(clientMs, functionMs)
  let endsAt = (startedAt ?? performance.now()) + timeoutMs
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
