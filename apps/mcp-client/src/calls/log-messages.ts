import { toJsonBytes } from '@iii/sdk/call-feed'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import { cutMiddle } from '../results/cut-middle.ts'

/** What a server logs during a call is for the one that reads along, not a result. */
const MAX_DATA_BYTES = 16 * 1024
const A_SECOND = 20
const SECOND_MS = 1_000

/** What a server logs, as it may be handed on: without secrets, and no longer than anybody reads. */
export function boundLogData(data: unknown, filter: SecretFilter): unknown {
  const clean = filter.value(data ?? null)
  const bytes = toJsonBytes(clean)
  if (bytes <= MAX_DATA_BYTES) return clean
  // The quotes count too.
  return typeof clean === 'string' ? cutMiddle(clean, MAX_DATA_BYTES - 2) : `[${bytes} bytes are left out here]`
}

/** So many log messages of a call are handed on in each second. */
export function createLogPermits(now: () => number = () => performance.now()): { take(): boolean } {
  let since = Number.NEGATIVE_INFINITY
  let taken = 0
  return {
    take() {
      if (now() - since >= SECOND_MS) {
        since = now()
        taken = 0
      }
      return taken++ < A_SECOND
    },
  }
}
