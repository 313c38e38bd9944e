import { randomUUID } from 'node:crypto'
import type { SessionStore } from './store.ts'

/** Work that one bridge of an engine does at a time. */
export interface Lease {
  /** Does the work, unless another bridge is at it. @throws what the work throws */
  run(work: () => Promise<void>): Promise<void>
}

export interface LeaseOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart'>
  /** Of the row that says who is at it. */
  readonly key: string
  /** So long somebody is believed to be at it. */
  readonly forMs: number
  readonly now: () => number
}

export function createLease({ store, key, forMs, now }: LeaseOptions): Lease {
  const holder = randomUUID()

  function hold(until: number): Promise<void> {
    return store.changePart(
      key,
      new Map<string, unknown>([
        ['holder', holder],
        ['until', until],
      ]),
    )
  }

  return {
    async run(work) {
      const lease = await store.part(key)
      if (lease?.['holder'] !== holder && Number(lease?.['until'] ?? 0) > now()) return
      await hold(now() + forMs)
      try {
        await work()
      } finally {
        await hold(0)
      }
    },
  }
}
