/** When to try again: soon where an engine is not there, ever later where it does not want us. */
export interface RetryTimings {
  /** The first try after a loss comes within so long, at random. */
  firstRetryMs: number
  /** Every further try comes within so long after the one before failed, at random in its upper half. */
  retryMs: number
  /** An engine that refused this worker is left alone for so long, twice as long after each further refusal. */
  refusedRetryMs: number
  /** And for this long at most, or at once where nothing is going to change soon. */
  maxRefusedRetryMs: number
}

export const RETRY_TIMINGS: RetryTimings = {
  firstRetryMs: 300,
  // Leaves time to register everything within a second of the engine being there.
  retryMs: 600,
  refusedRetryMs: 1_000,
  maxRefusedRetryMs: 30_000,
}

/** `now`: something else is said next time. `later`: it may go on its own. `slowly`: somebody has to change something. */
export type RetryPace = 'now' | 'later' | 'slowly'

export interface Retries {
  /** The engine refused us. */
  refused(pace: RetryPace): void
  /** The engine took us. */
  accepted(): void
  /** How long to wait for the next try, after one has failed. */
  nextDelayMs(): number
}

/** Several workers that were refused at the same time do not come back at the same time. */
const SPREAD = 0.25

export function createRetries(timings: RetryTimings): Retries {
  const { firstRetryMs, retryMs, refusedRetryMs, maxRefusedRetryMs } = timings
  let wasAccepted = false
  let failures = 0
  let refusals = 0
  let pace: RetryPace | undefined

  function refusedMs(how: Exclude<RetryPace, 'now'>): number {
    const ms = how === 'slowly' ? maxRefusedRetryMs : Math.min(refusedRetryMs * 2 ** refusals++, maxRefusedRetryMs)
    return ms * (1 + SPREAD * Math.random())
  }

  return {
    refused(next) {
      pace = next
    },
    accepted() {
      wasAccepted = true
      failures = 0
      refusals = 0
    },
    nextDelayMs() {
      const how = pace
      pace = undefined
      if (how === 'now') return 0
      if (how !== undefined) return refusedMs(how)
      const again = failures++ > 0 || !wasAccepted
      return again ? (retryMs * (1 + Math.random())) / 2 : firstRetryMs * (0.2 + 0.8 * Math.random())
    },
  }
}
