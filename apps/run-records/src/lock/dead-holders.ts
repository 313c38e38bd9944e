import type { Expiry } from './expiry.ts'
import type { LockClock } from './lease.ts'
import { type Held, toEndOps } from './lock-row.ts'
import type { LockStore } from './lock-store.ts'
import type { LockTimings } from './timings.ts'

interface Watch {
  readonly store: LockStore
  readonly timings: LockTimings
  readonly clock: LockClock
  readonly expiry: Expiry
}

/** @returns whether that claim counts no more; false as soon as its process is seen to live */
export async function endDeadClaim(watch: Watch, name: string, generation: number): Promise<boolean> {
  const { store, timings, clock, expiry } = watch
  let beats: number | undefined
  for (;;) {
    const row = await store.read(name)
    if (row?.held?.generation !== generation) return true
    beats ??= row.held.beats
    if (await lives(store, row.held, beats)) return false
    if (expiry.isReached(name, row.held)) await store.update(name, toEndOps(row, generation, row.held.token))
    else await clock.pause(timings.lookEveryMs)
  }
}

/** Here, or on another engine of the same store. */
async function lives(store: LockStore, { holder, beats }: Held, beatsBefore: number): Promise<boolean> {
  return beats !== beatsBefore || (await store.hasFunction(holder))
}
