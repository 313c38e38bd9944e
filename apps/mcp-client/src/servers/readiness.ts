import type { Clock } from '../clock.ts'
import type { Connection } from './connection.ts'

/** Calls that wait until their server is there. */
export interface Readiness {
  readonly current: Connection | undefined
  /** It is there. */
  arrive(connection: Connection): void
  /** It is on its way, so it is worth waiting. */
  expect(): void
  /** It is not, and is not on its way. */
  giveUp(): void
  /** Resolves when it is there; with undefined when it will not be soon, or the signal fires. */
  wait(signal: AbortSignal): Promise<Connection | undefined>
}

/** So long a call waits for a server that starts. */
export const READY_WAIT_MS = 5_000

export function createReadiness(clock: Clock): Readiness {
  const waiting = new Set<(connection: Connection | undefined) => void>()
  let current: Connection | undefined
  let isExpected = false

  function release(): void {
    for (const resume of [...waiting]) resume(current)
  }

  return {
    get current() {
      return current
    },
    arrive(connection) {
      current = connection
      isExpected = false
      release()
    },
    expect() {
      current = undefined
      isExpected = true
    },
    giveUp() {
      current = undefined
      isExpected = false
      release()
    },
    async wait(signal) {
      if (!isExpected || signal.aborted) return current
      return new Promise((resolve) => {
        const done = (connection: Connection | undefined) => {
          cancelTimer()
          signal.removeEventListener('abort', onAbort)
          waiting.delete(done)
          resolve(connection)
        }
        const onAbort = () => done(undefined)
        const cancelTimer = clock.after(READY_WAIT_MS, onAbort)
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(done)
      })
    },
  }
}
