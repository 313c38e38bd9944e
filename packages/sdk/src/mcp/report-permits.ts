/** How often something may happen: some times at once, then at a steady pace. */
export interface Permits {
  /** @returns 0 when it may happen now; else in how many milliseconds it may. */
  take(): number
}

/** @param now in milliseconds, e.g. `performance.now` */
export function createPermits({ atOnce = 32, everyMs = 50, now = () => performance.now() } = {}): Permits {
  let left = atOnce
  let since = now()

  return {
    take() {
      const gained = Math.floor((now() - since) / everyMs)
      since += gained * everyMs
      left = Math.min(atOnce, left + gained)
      if (left === 0) return Math.max(1, Math.ceil(since + everyMs - now()))
      left--
      return 0
    },
  }
}
