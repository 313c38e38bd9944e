import { Fault } from '@iii/protocol'
import type { Clock } from '../clock.ts'

/** So many calls of a server run at the same time, and so many wait. */
export interface CallQueue {
  readonly running: number
  /**
   * Resolves with what to call when the call is over.
   *
   * @throws Fault `overloaded`; the reason of the signal when that fires first
   */
  enter(signal: AbortSignal): Promise<() => void>
  /** Resolves when none runs. */
  idle(): Promise<void>
}

export interface QueueLimits {
  readonly calls: number
  readonly waiting: number
  readonly waitMs: number
}

interface Waiting {
  go(): void
}

/** @param limits as they are at the moment */
export function createCallQueue(name: string, limits: () => QueueLimits, clock: Clock): CallQueue {
  const waiting: Waiting[] = []
  let running = 0
  let idlers: (() => void)[] = []

  function leave(): void {
    running--
    while (running < limits().calls && waiting.length > 0) waiting.shift()?.go()
    if (running > 0) return
    for (const resume of idlers) resume()
    idlers = []
  }

  function take(): () => void {
    running++
    let isOver = false
    return () => {
      if (!isOver) leave()
      isOver = true
    }
  }

  function overloaded(why: string): Fault {
    return new Fault('overloaded', `The MCP server '${name}' has too much to do: ${why}; try again later`)
  }

  return {
    get running() {
      return running
    },
    async enter(signal) {
      signal.throwIfAborted()
      const { calls, waiting: places, waitMs } = limits()
      if (running < calls) return take()
      if (waiting.length >= places) throw overloaded(`${calls} calls run and ${waiting.length} wait already`)
      return new Promise((resolve, reject) => {
        const done = () => {
          cancelTimer()
          signal.removeEventListener('abort', onAbort)
        }
        const give = (error: unknown) => {
          waiting.splice(waiting.indexOf(entry), 1)
          done()
          reject(error)
        }
        const onAbort = () => give(signal.reason)
        const entry: Waiting = {
          go() {
            done()
            resolve(take())
          },
        }
        const cancelTimer = clock.after(waitMs, () =>
          give(overloaded(`none of its calls ended within ${waitMs / 1000} s`)),
        )
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.push(entry)
      })
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
