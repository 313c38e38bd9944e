import type { Clock } from '../clock.ts'

/** What a server writes to stdout that is no message: a banner, a warning, a stray print. Some of it is borne. */
export interface NoiseBudget {
  /** @returns whether it is still bearable */
  spend(bytes: number): boolean
  /** The handshake is over: from now on it is by the minute. */
  onInitialized(): void
}

const BEFORE = { bytes: 64 * 1024, lines: 200 }
const LINES_A_MINUTE = 20
const MINUTE_MS = 60_000

export function createNoiseBudget(clock: Clock): NoiseBudget {
  let bytesLeft = BEFORE.bytes
  let linesLeft = BEFORE.lines
  let isInitialized = false
  let since = 0

  function renew(): void {
    since = clock.now()
    linesLeft = LINES_A_MINUTE
    bytesLeft = Number.POSITIVE_INFINITY
  }

  return {
    spend(bytes) {
      if (isInitialized && clock.now() - since >= MINUTE_MS) renew()
      bytesLeft -= bytes
      linesLeft--
      return bytesLeft >= 0 && linesLeft >= 0
    },
    onInitialized() {
      isInitialized = true
      renew()
    },
  }
}
