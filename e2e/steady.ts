import { setTimeout as pause } from 'node:timers/promises'

/** What became of a request: when it began and how long it took, in milliseconds, with what it was answered. */
export interface TimedAnswer<T> {
  readonly beganAt: number
  readonly tookMs: number
  readonly answer: T
}

/** Requests that are sent one after the other, whatever becomes of those before. */
export interface Steady<T> {
  /** Sends no more. @returns all of them, when the last one is answered, in the order in which they began */
  stop(): Promise<TimedAnswer<T>[]>
}

const EVERY_MS = 20

/** Sends a request every 20 ms until it is told to stop. */
export function askSteadily<T>(ask: () => Promise<T>): Steady<T> {
  const asked: Promise<TimedAnswer<T>>[] = []
  let isOver = false
  const askOnce = async (): Promise<TimedAnswer<T>> => {
    const beganAt = performance.now()
    const answer = await ask()
    return { beganAt, tookMs: performance.now() - beganAt, answer }
  }
  const asking = (async () => {
    while (!isOver) {
      asked.push(askOnce())
      await pause(EVERY_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await asking
      return await Promise.all(asked)
    },
  }
}
