import type { Clock } from '../clock.ts'

/** Holds up whoever sends more than anybody needs, so that one server takes no more than its share of this process. */
export interface Throttle {
  /** Something came that nobody asked for. @param bytes of it */
  count(bytes: number): void
  /** Holds up nobody any more. */
  close(): void
}

export interface ThrottleOptions {
  readonly clock: Clock
  pause(): void
  resume(): void
}

const PER_SECOND = 1_000
/** What is long takes time to read, however few it is. */
const BYTES_PER_SECOND = 1024 * 1024
const SECOND_MS = 1_000

export function createThrottle({ clock, pause, resume }: ThrottleOptions): Throttle {
  let since = clock.now()
  let seen = 0
  let seenBytes = 0
  let cancel: (() => void) | undefined

  function begin(now: number): void {
    since = now
    seen = 0
    seenBytes = 0
  }

  function goOn(): void {
    cancel = undefined
    begin(clock.now())
    resume()
  }

  return {
    count(bytes) {
      const now = clock.now()
      if (now - since >= SECOND_MS) begin(now)
      seen++
      seenBytes += bytes
      if ((seen <= PER_SECOND && seenBytes <= BYTES_PER_SECOND) || cancel !== undefined) return
      cancel = clock.after(since + SECOND_MS - now, goOn)
      pause()
    },
    close() {
      cancel?.()
      cancel = () => undefined
    },
  }
}
