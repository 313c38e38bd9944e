import { within } from '@iii/sdk'
/** Decides when something that is kept from elsewhere is looked at again. One look at a time, one for a burst of changes. */
export interface Refresher {
  /** Something changed: look when the burst is over. */
  soon(): void
  /** Looks now; a look that is under way may be too old, so another one follows it. @throws what the look throws */
  now(): Promise<void>
  /**
   * Somebody wants to use what is kept. Waits for a look when there was none yet, and a little when the last one is too old.
   *
   * @returns the error of the last look, undefined when it went well
   */
  upToDate(): Promise<unknown>
  /** Looks now unless the last look is younger. Never throws. */
  unlessYoungerThan(ageMs: number): Promise<void>
  close(): void
}

export interface RefresherOptions {
  readonly settleMs: number
  /** How old a look may get while somebody uses it. */
  readonly checkMs: number
  /** Is it to be kept up to date, although nobody has used it for long? */
  readonly inUse?: (() => boolean) | undefined
  readonly onError: (error: unknown) => void
}

const RETRY_MS = 1_000
/** Whoever comes after a long pause waits so long for a new look before the old one has to do. */
const PATIENCE_MS = 1_000
/** Checks go on for so many periods after the last use. */
const PERIODS_IN_USE = 10

export function createRefresher(look: () => Promise<void>, options: RefresherOptions): Refresher {
  const { settleMs, checkMs, inUse, onError } = options
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let usedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let closed = false

  function now(): Promise<void> {
    if (running === undefined) return start()
    next ??= running.then(start, start).finally(() => {
      next = undefined
    })
    return next
  }

  function start(): Promise<void> {
    const startedAt = performance.now()
    running = look()
      .then(
        () => {
          lookedAt = startedAt
          failure = undefined
        },
        (error: unknown) => {
          failure = error
          onError(error)
          schedule(RETRY_MS)
          throw error
        },
      )
      .finally(() => {
        running = undefined
      })
    return running
  }

  function schedule(delayMs: number): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      now().catch(ignore)
    }, delayMs)
    timer.unref()
  }

  const checks = setInterval(() => {
    if (inUse?.() === true || performance.now() - usedAt <= PERIODS_IN_USE * checkMs) now().catch(ignore)
  }, checkMs)
  checks.unref()

  return {
    soon: () => schedule(settleMs),
    now,
    async upToDate() {
      usedAt = performance.now()
      if (usedAt - lookedAt <= checkMs + PATIENCE_MS) return failure
      const look = (running ?? now()).catch(ignore)
      await (lookedAt === Number.NEGATIVE_INFINITY ? look : within(PATIENCE_MS, look))
      return failure
    },
    async unlessYoungerThan(ageMs) {
      if (performance.now() - lookedAt > ageMs) await now().catch(ignore)
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(checks)
    },
  }
}

/** The error was told to `onError` already. */
function ignore(): undefined {
  return undefined
}
