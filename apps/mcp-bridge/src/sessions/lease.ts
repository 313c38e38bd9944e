import { randomUUID } from 'node:crypto'
import type { SessionStore } from './store.ts'

/** Work that one bridge of an engine does at a time. */
export interface Lease {
  /**
   * Does the work, unless another bridge is at it.
   *
   * @returns 0 when it is done, else how long the other one is believed to be at it
   * @throws what the work throws
   */
  run(work: () => Promise<void>): Promise<number>
  /** Says no more that the work goes on. */
  close(): void
}

export interface LeaseOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart'>
  /** Of the row that says who is at it. */
  readonly key: string
  /** So long somebody is believed to be at it who says so no more. */
  readonly forMs: number
  /** So long somebody says so at the most: work that hangs is another's. */
  readonly atMostMs: number
  readonly now: () => number
}

/** An engine that is busy with the work may lose some of them. */
const BEATS = 6

export function createLease({ store, key, forMs, atMostMs, now }: LeaseOptions): Lease {
  const holder = randomUUID()
  let beats: NodeJS.Timeout | undefined

  function hold(until: number): Promise<void> {
    return store.changePart(
      key,
      new Map<string, unknown>([
        ['holder', holder],
        ['until', until],
      ]),
    )
  }

  /** @returns how to stop, which waits for the last beat */
  function beat(): () => Promise<void> {
    const endsAt = now() + atMostMs
    let last: Promise<void> = Promise.resolve()
    beats = setInterval(() => {
      if (now() < endsAt) last = hold(now() + forMs).catch(() => undefined)
    }, forMs / BEATS).unref()
    return () => {
      clearInterval(beats)
      return last
    }
  }

  return {
    async run(work) {
      const lease = await store.part(key)
      const leftMs = Number(lease?.['until'] ?? 0) - now()
      if (lease?.['holder'] !== holder && leftMs > 0) return leftMs
      await hold(now() + forMs)
      const stop = beat()
      try {
        await work()
      } finally {
        await stop()
        await hold(0)
      }
      return 0
    },
    close: () => clearInterval(beats),
  }
}
