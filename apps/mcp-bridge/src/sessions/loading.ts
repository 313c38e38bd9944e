import { type Logger, toFault } from '@iii/sdk'

/** Reads what the bridges of an engine share, and goes on trying while the engine is silent, as it is over a slow network. */
export interface Loading {
  /** Resolves after the first try. Never rejects. Another one takes its place. */
  run(load: () => Promise<void>): Promise<void>
  close(): void
}

const TRY_AGAIN_MS = { first: 1_000, longest: 60_000 }

export function createLoading(log: Logger): Loading {
  let nextTry: NodeJS.Timeout | undefined
  let isLate = false

  async function tryOnce(load: () => Promise<void>, waitMs: number): Promise<void> {
    try {
      await load()
      if (isLate) log.info('what bridges share of sessions is known now')
      isLate = false
    } catch (error) {
      if (!isUnanswered(error)) return sayAlone(error, log)
      const reason = toFault(error).message
      if (!isLate)
        log.warn({ reason }, 'engine state does not answer in time: until it does, sessions of others may be refused')
      isLate = true
      nextTry = setTimeout(() => void tryOnce(load, Math.min(2 * waitMs, TRY_AGAIN_MS.longest)), waitMs).unref()
    }
  }

  return {
    run(load) {
      clearTimeout(nextTry)
      return tryOnce(load, TRY_AGAIN_MS.first)
    },
    close: () => clearTimeout(nextTry),
  }
}

/** Whether a store may have what it has not told, other than one that is not there. */
export function isUnanswered(error: unknown): boolean {
  const { code } = toFault(error)
  return code === 'deadline' || code === 'worker_lost'
}

export function sayAlone(error: unknown, log: Logger): void {
  const reason = error instanceof Error ? error.message : String(error)
  log.warn({ reason }, 'engine state is not available: sessions are known to this process alone and end with it')
}
