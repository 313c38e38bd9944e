import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** What of V8's heap is for what was just made. */
export interface YoungHeap {
  /** Bytes that it takes, used or not. */
  size(): number
  /** One thread collects its garbage from now on: for so little, waking others takes longer than their help saves. */
  collectAlone(): void
  /** How many times as large it becomes when much of it lives on. */
  growBy(factor: number): void
  /** Tells of each collection of garbage, soon after it, until it is told to stop. */
  onCollection(listener: () => void): () => void
}

/** Of both halves together. V8 would take four times as much, and lists cost more with half of it. */
export const ENOUGH_BYTES = 8 * 1024 * 1024
const LOOK_EVERY_MS = 1000
const STAY = 1
/** As V8 does. */
const DOUBLE = 2

const V8: YoungHeap = {
  size: () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0,
  collectAlone: () => setFlagsFromString('--no-parallel-scavenge'),
  growBy: (factor) => setFlagsFromString(`--semi-space-growth-factor=${factor}`),
  onCollection(listener) {
    const observer = new PerformanceObserver(listener)
    observer.observe({ type: 'gc' })
    return () => observer.disconnect()
  },
}

/**
 * Keeps the young heap of this process small. Under load V8 doubles it up to 32 MiB, which stay with the process, and what a call leaves
 * behind is dead long before they are full.
 *
 * @param given what else was said to this Node: who has chosen a size has it
 * @returns leaves it to V8 again
 */
export function limitYoungHeap(
  given: string,
  { size, collectAlone, growBy, onCollection }: YoungHeap = V8,
): () => void {
  if (/semi[-_]space/.test(given)) return () => undefined
  let stopWatching: (() => void) | undefined

  function stay(): void {
    stopWatching?.()
    stopWatching = undefined
    growBy(STAY)
  }

  function look(): void {
    if (stopWatching !== undefined || size() >= ENOUGH_BYTES) return
    growBy(DOUBLE)
    stopWatching = onCollection(() => void (size() >= ENOUGH_BYTES && stay()))
  }

  // Nothing shrinks it while there is load, so a start that makes much is no reason to grow.
  stay()
  collectAlone()
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    stay()
    growBy(DOUBLE)
  }
}
