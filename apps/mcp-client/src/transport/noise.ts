import type { Clock } from '../clock.ts'

/** What a server writes to stdout that is no message: a banner, a warning, a stray print. Some of it is borne. */
export interface NoiseBudget {
  /**
   * @param isLine whether another line begins with it
   * @returns whether it is still bearable
   */
  spend(bytes: number, isLine: boolean): boolean
  /** The handshake is over: from now on it is by the minute. */
  onInitialized(): void
}

const BEFORE = { bytes: 64 * 1024, lines: 200 }
const A_MINUTE = { bytes: 8 * 1024 * 1024, lines: 20 }
const MINUTE_MS = 60_000

export function createNoiseBudget(clock: Clock): NoiseBudget {
  let bytesLeft = BEFORE.bytes
  let linesLeft = BEFORE.lines
  let isInitialized = false
  let since = 0

  function renew(): void {
    since = clock.now()
    linesLeft = A_MINUTE.lines
    bytesLeft = A_MINUTE.bytes
  }

  return {
    spend(bytes, isLine) {
      if (isInitialized && clock.now() - since >= MINUTE_MS) renew()
      bytesLeft -= bytes
      if (isLine) linesLeft--
      return bytesLeft >= 0 && linesLeft >= 0
    },
    onInitialized() {
      isInitialized = true
      renew()
    },
  }
}
