import type { Clock } from '../clock.ts'

/** How long a server that fails is left alone. */
export interface Backoff {
  /** Failures in a row. */
  readonly failures: number
  readonly isParked: boolean
  /** It has failed once more. @returns in how many milliseconds it is tried again */
  fail(): number
  /** It is ready, which counts when it stays so. */
  onReady(): void
  /** Somebody wants it tried now, as if it had never failed. */
  reset(): void
}

const FIRST_MS = 500
const LONGEST_MS = 60_000
const PARKED_AFTER = 8
const PARKED_MS = 5 * 60_000
/** So long it has to be ready to count as one that works. */
const STEADY_MS = 60_000

export function createBackoff(clock: Clock): Backoff {
  let failures = 0
  let readySince: number | undefined

  return {
    get failures() {
      return failures
    },
    get isParked() {
      return failures >= PARKED_AFTER
    },
    fail() {
      if (readySince !== undefined && clock.now() - readySince >= STEADY_MS) failures = 0
      readySince = undefined
      failures++
      const steady = failures >= PARKED_AFTER ? PARKED_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
      // Servers that fell together do not come back together.
      return steady * (0.8 + 0.4 * clock.random())
    },
    onReady() {
      readySince = clock.now()
    },
    reset() {
      failures = 0
      readySince = undefined
    },
  }
}
