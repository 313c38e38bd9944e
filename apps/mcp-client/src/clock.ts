/** The time that this worker goes by; tests have one that they move. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number
  /** Runs something later; what waits does not keep the process alive. Returns how to take it back. */
  after(ms: number, run: () => void): () => void
  /** Between 0 and 1. */
  random(): number
}

export const processClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
  random: Math.random,
}
