/** The time of a program, which can be stopped, so that nothing that is due by and by comes between the calls that are followed. */
export interface ProgramClock {
  /** From here on it is this moment, and no timer is due. */
  stop(): void
}

/** What runs as soon as it can is no matter of time. What waits for longer than this would come again and again: it is never due. */
const SOON_MS = 5

/** Takes over what the program reads the time from. */
export function createClock(): ProgramClock {
  let isStopped = false
  const { setTimeout, setInterval } = globalThis

  const held =
    (start: typeof setTimeout | typeof setInterval) =>
    (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      start((...given: unknown[]) => (isStopped && ms >= SOON_MS ? undefined : run(...given)), ms, ...args)

  Object.assign(globalThis, { setTimeout: held(setTimeout), setInterval: held(setInterval) })
  return {
    stop() {
      isStopped = true
      const [now, elapsed] = [Date.now(), performance.now()]
      Date.now = () => now
      performance.now = () => elapsed
    },
  }
}
