import { Fault } from '@iii/protocol'
import type { Clock } from '../clock.ts'

/** So many calls of a server run at the same time, and so many wait. */
export interface CallQueue {
  readonly running: number
  /** There may be more places than before. */
  admit(): void
  /**
   * Resolves with what to call when the call is over.
   *
   * @throws Fault `overloaded`; the reason of the signal when that fires first
   */
  enter(signal: AbortSignal): Promise<() => void>
  /** Resolves when the calls that run now are over; those that come meanwhile are not waited for. */
  settle(): Promise<void>
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
  /** Each resolves when its call is over. */
  const running = new Set<Promise<void>>()

  function take(): () => void {
    let end: () => void = () => undefined
    const call = new Promise<void>((resolve) => {
      end = resolve
    })
    running.add(call)
    return () => {
      end()
      if (running.delete(call)) admit()
    }
  }

  function admit(): void {
    while (running.size < limits().calls && waiting.length > 0) waiting.shift()?.go()
  }

  function overloaded(why: string): Fault {
    return new Fault('overloaded', `The MCP server '${name}' has too much to do: ${why}; try again later`)
  }

  return {
    get running() {
      return running.size
    },
    admit,
    async enter(signal) {
      signal.throwIfAborted()
      const { calls, waiting: places, waitMs } = limits()
      if (running.size < calls) return take()
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
    async settle() {
      await Promise.all(running)
    },
  }
}
