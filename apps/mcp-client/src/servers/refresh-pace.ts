import type { Clock } from '../clock.ts'

/** When the tools of a server are listed again, however often it says that they changed. */
export interface RefreshPace {
  /** It says so. */
  hint(): void
  /** It says so more often than it is believed. */
  readonly isChurning: boolean
  close(): void
}

export interface RefreshPaceOptions {
  readonly clock: Clock
  /** Never called again before it has settled; what it throws is its own affair. */
  refresh(): Promise<void>
}

const SETTLE_MS = 200
/** A burst without end is waited out no longer than this. */
const PATIENCE_MS = 1_000
const GAP_MS = 1_000
const MINUTE_MS = 60_000
const A_MINUTE = 20
const SWEEP_MS = 5 * MINUTE_MS

export function createRefreshPace({ clock, refresh }: RefreshPaceOptions): RefreshPace {
  /** When the latest ones began, no longer than a minute ago. */
  let begun: number[] = []
  let hintedSince: number | undefined
  let isRunning = false
  let isChurning = false
  let isClosed = false
  let cancel = clock.after(SWEEP_MS, run)

  function earliest(now: number): number {
    begun = begun.filter((at) => now - at < MINUTE_MS)
    const last = begun.at(-1)
    if (last === undefined) return now
    if (begun.length >= A_MINUTE) isChurning = true
    return last + (isChurning ? MINUTE_MS : GAP_MS)
  }

  function plan(): void {
    cancel()
    if (isClosed || isRunning) return
    const now = clock.now()
    const since = hintedSince
    if (since === undefined) {
      cancel = clock.after(isChurning ? MINUTE_MS : SWEEP_MS, isChurning ? calm : run)
      return
    }
    const wanted = Math.min(now + SETTLE_MS, since + PATIENCE_MS)
    cancel = clock.after(Math.max(0, Math.max(wanted, earliest(now)) - now), run)
  }

  function calm(): void {
    isChurning = false
    plan()
  }

  function run(): void {
    hintedSince = undefined
    isRunning = true
    begun.push(clock.now())
    void refresh().finally(() => {
      isRunning = false
      plan()
    })
  }

  return {
    get isChurning() {
      return isChurning
    },
    hint() {
      hintedSince ??= clock.now()
      plan()
    },
    close() {
      isClosed = true
      cancel()
    },
  }
}
