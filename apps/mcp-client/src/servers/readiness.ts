import type { Clock } from '../clock.ts'
import { READY_WAIT_MS } from '../configuration/call-timeout.ts'
import type { ServerConnection } from './connection.ts'

/** Calls that wait until their server is there. */
export interface ServerReadiness {
  readonly current: ServerConnection | undefined
  /** It is there. */
  arrive(connection: ServerConnection): void
  /** It is on its way, so it is worth waiting. */
  expect(): void
  /** It is not, and is not on its way. */
  giveUp(): void
  /** Resolves when it is there; with undefined when it will not be soon, or the signal fires. */
  wait(signal: AbortSignal): Promise<ServerConnection | undefined>
}

export function createServerReadiness(clock: Clock): ServerReadiness {
  const waiting = new Set<(connection: ServerConnection | undefined) => void>()
  let current: ServerConnection | undefined
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
        const done = (connection: ServerConnection | undefined) => {
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
