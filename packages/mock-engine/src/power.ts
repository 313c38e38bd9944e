import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from './instance.ts'

/** Turns an engine on and off: one run after the other, never two at once. */
export interface Power {
  /** `undefined` while it is off. */
  readonly run: Run | undefined
  on(): Promise<Run>
  /** Off, a wait, and on again. @param whileOff - done before the next run begins. */
  cycle(downMs: number, whileOff: () => void): Promise<void>
  /** Off for good. */
  off(): Promise<void>
}

/** @param begun - told when a run is in place. */
export function createPower(begin: () => Promise<Run>, begun: () => void): Power {
  const ending = new AbortController()
  let run: Run | undefined
  let turn: Promise<void> = Promise.resolve()

  async function on(): Promise<Run> {
    run = await begin()
    begun()
    return run
  }

  async function stop(): Promise<void> {
    const last = run
    run = undefined
    await last?.stop()
  }

  async function cycle(downMs: number, whileOff: () => void): Promise<void> {
    await stop()
    // Closing does not wait until the time is over.
    await sleep(downMs, undefined, { signal: ending.signal }).catch(() => {})
    if (ending.signal.aborted) return
    whileOff()
    await on()
  }

  return {
    get run() {
      return run
    },
    on,
    async cycle(downMs, whileOff) {
      if (ending.signal.aborted) throw new Error('the engine was closed and cannot be restarted')
      turn = turn.catch(() => {}).then(() => cycle(downMs, whileOff))
      await turn
    },
    async off() {
      ending.abort()
      await turn.catch(() => {})
      await stop()
    },
  }
}
