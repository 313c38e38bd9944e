import { withTrace } from '../engine/call-context.ts'
import type { OwnershipTimings } from './ownership.ts'

/** `light`: one call. `full`: everything. */
export type LookKind = 'light' | 'full'

/** Decides when to look: one look at a time, and at everything less often where that is much. */
export interface Pace {
  /** Looks at everything within so long, unless that was done a moment ago; then as soon as a moment has passed. */
  full(delayMs: number): void
  /**
   * Somebody came: looks at everything within so long, and lightly once more after five times as long, because one that is slow
   * registers later.
   */
  arrived(delayMs: number): void
  /** Looks at once: at everything, or lightly when it is too early for that. */
  now(): void
  /** Stops until the next `full`. */
  pause(): void
  stop(): void
}

export interface PaceOptions extends Pick<OwnershipTimings, 'lookEveryMs' | 'fullLookEveryMs' | 'betweenLooksMs'> {
  look(kind: LookKind): Promise<void>
  onError(error: unknown): void
  /** How many things a look at everything is about. */
  size(): number
  /** The longest that the engine took for an answer since this was asked for. */
  answerMs(): number
}

/** A look at more than so many things takes longer, and is made less often. */
const SMALL = 128
/** How many times as long a slow worker takes to register everything. */
const SLOW = 5
/** An engine that is long in answering has much to do, for hundreds of workers that all look: it has such a part of the time to itself. */
const SHARE = 0.1

export function createPace({ look, onError, size, answerMs, ...timings }: PaceOptions): Pace {
  const { lookEveryMs, fullLookEveryMs, betweenLooksMs } = timings
  let timer: NodeJS.Timeout | undefined
  let running = false
  let stopped = false
  let fullAt = Number.POSITIVE_INFINITY
  let lightAt = Number.POSITIVE_INFINITY
  let laterAt = Number.POSITIVE_INFINITY
  let lastFullAt = Number.NEGATIVE_INFINITY
  let lastLookAt = Number.NEGATIVE_INFINITY
  let restsUntil = Number.NEGATIVE_INFINITY

  function arm(): void {
    clearTimeout(timer)
    const at = Math.min(fullAt, lightAt, laterAt)
    if (running || stopped || at === Number.POSITIVE_INFINITY) return
    // What a look asks has nothing to do with the call that set it off.
    withTrace({}, () => {
      timer = setTimeout(run, Math.max(0, Math.max(at, restsUntil) - performance.now())).unref()
    })
  }

  function run(): void {
    const startedAt = performance.now()
    const kind = startedAt >= fullAt ? 'full' : 'light'
    running = true
    if (startedAt >= laterAt) laterAt = Number.POSITIVE_INFINITY
    lastLookAt = startedAt
    lightAt = startedAt + lookEveryMs
    if (kind === 'full') {
      lastFullAt = startedAt
      fullAt = startedAt + fullLookEveryMs
    }
    void look(kind)
      .catch(onError)
      .finally(() => {
        running = false
        restsUntil = startedAt + Math.min(answerMs() / SHARE, lookEveryMs)
        arm()
      })
  }

  function full(delayMs: number): void {
    const gapMs = Math.min(betweenLooksMs * Math.ceil(size() / SMALL), lookEveryMs)
    const at = Math.max(performance.now() + delayMs, lastFullAt + gapMs)
    fullAt = Math.min(fullAt, at)
    lightAt = Math.min(lightAt, performance.now() + lookEveryMs)
    arm()
  }

  return {
    full,
    arrived(delayMs) {
      laterAt = performance.now() + SLOW * delayMs
      full(delayMs)
    },
    now() {
      lightAt = Math.min(lightAt, Math.max(performance.now(), lastLookAt + betweenLooksMs))
      full(0)
    },
    pause() {
      clearTimeout(timer)
      fullAt = Number.POSITIVE_INFINITY
      lightAt = Number.POSITIVE_INFINITY
      laterAt = Number.POSITIVE_INFINITY
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
