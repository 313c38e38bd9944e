import type { Clock } from '../clock.ts'

/** Holds up whoever sends more than anybody needs, so that one server takes no more than its share of this process. */
export interface Throttle {
  /** Something came that nobody asked for. */
  count(): void
  close(): void
}

export interface ThrottleOptions {
  readonly clock: Clock
  pause(): void
  resume(): void
}

const PER_SECOND = 1_000
const SECOND_MS = 1_000

export function createThrottle({ clock, pause, resume }: ThrottleOptions): Throttle {
  let since = clock.now()
  let seen = 0
  let cancel: (() => void) | undefined

  function goOn(): void {
    cancel = undefined
    since = clock.now()
    seen = 0
    resume()
  }

  return {
    count() {
      const now = clock.now()
      if (now - since >= SECOND_MS) {
        since = now
        seen = 0
      }
      if (++seen <= PER_SECOND || cancel !== undefined) return
      cancel = clock.after(since + SECOND_MS - now, goOn)
      pause()
    },
    close() {
      cancel?.()
    },
  }
}
