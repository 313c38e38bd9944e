import { setTimeout as pauseFor } from 'node:timers/promises'
import { within } from '@iii/sdk'

/** Writes what changes often: once for all changes of a moment, one after the other, and no faster than others bear. */
export interface Saver {
  /** @param write writes what is to be kept as it is by then; returns how many bytes, and never rejects */
  soon(name: string, write: () => Promise<number>): void
  /** Whether something of it is still to be written. */
  isWaiting(name: string): boolean
  /** Writes what waits at once. */
  close(): Promise<void>
}

export interface SaverOptions {
  /** So long changes are gathered. */
  readonly delayMs: number
  readonly bytesPerSecond: number
}

const CLOSE_WITHIN_MS = 1_000

export function createSaver({ delayMs, bytesPerSecond }: SaverOptions): Saver {
  const waiting = new Map<string, () => Promise<number>>()
  const closing = new AbortController()
  let running: Promise<void> | undefined

  const pause = (ms: number) => pauseFor(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      await pause(delayMs)
      for (const [name, write] of [...waiting]) {
        waiting.delete(name)
        await pause(((await write()) / bytesPerSecond) * 1_000)
      }
    }
    running = undefined
  }

  return {
    soon(name, write) {
      waiting.set(name, write)
      running ??= run()
    },
    isWaiting: (name) => waiting.has(name),
    async close() {
      closing.abort()
      if (running !== undefined) await within(CLOSE_WITHIN_MS, running)
    },
  }
}
