import { setTimeout as wait } from 'node:timers/promises'
import { InvocationError } from '@iii/sdk'
import { holds, type LockRow, toBeatOps, toEndOps } from './lock-row.ts'
import type { LockStore } from './lock-store.ts'
import type { LockTimings } from './timings.ts'

/** What a lease needs of time. */
export interface LockClock {
  /** Monotonic, in milliseconds; it goes on while the process is frozen. */
  now(): number
  /** Resolves after a while, or when the signal fires. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

/** The clock of this process. What waits does not keep it alive. */
export const lockClock: LockClock = {
  now: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined),
}

/** A lock that we hold, as far as we know. */
export interface LockLease {
  readonly name: string
  readonly generation: number
  /** Fires when somebody else has ended it, or its row is gone. Nothing may be started or written from then on. */
  readonly lost: AbortSignal
  /**
   * Resolves to whether something may be started now: true when a beat was confirmed on this connection a moment ago, false when the lock
   * is lost or the signal fires. While the store does not answer, it waits.
   */
  confirm(signal?: AbortSignal): Promise<boolean>
  /** Gives the lock back; one that is lost stays as it is. Where the store does not answer, it goes on trying as long as the process. */
  release(): Promise<void>
}

export interface LeaseParts {
  store: LockStore
  timings: LockTimings
  clock: LockClock
  name: string
  generation: number
  token: string
  /** As the claim was answered. */
  row: LockRow
  /** When the claim was sent, and on which connection. */
  claimed: { at: number; on: string | undefined }
}

/** Goes on beating until it is released or lost. */
export function startLease(parts: LeaseParts): LockLease {
  const { store, timings, clock, name, generation, token } = parts
  const lost = new AbortController()
  const over = new AbortController()
  let { row, claimed: confirmed } = parts
  let beating: Promise<void> | undefined

  async function beat(): Promise<void> {
    const sent = { at: clock.now(), on: store.connection }
    const answer = await store.update(name, toBeatOps(generation))
    if (over.signal.aborted) return
    if (answer === undefined || !holds(answer, generation, token)) {
      lost.abort(new Error(`the lock '${name}' was lost`))
      over.abort()
      return
    }
    row = answer
    confirmed = sent
  }

  /** One beat at a time; what a failed one has done does not matter. */
  function beatOnce(): Promise<void> {
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = undefined
      })
    return beating
  }

  const isFresh = () =>
    store.connection !== undefined &&
    confirmed.on === store.connection &&
    clock.now() - confirmed.at < timings.confirmedForMs

  async function keepBeating(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.pause(timings.beatEveryMs, over.signal)
      if (!over.signal.aborted) await beatOnce()
    }
  }
  void keepBeating()

  return {
    name,
    generation,
    lost: lost.signal,
    async confirm(signal) {
      const isOver = () => lost.signal.aborted || signal?.aborted === true
      while (!isOver() && !isFresh()) {
        // The call of a beat may take longer than who asks waits.
        await Promise.race([beatOnce(), clock.pause(timings.callTimeoutMs, signal)])
        if (!isOver() && !isFresh()) await clock.pause(timings.lookEveryMs, signal)
      }
      return !isOver()
    },
    async release() {
      if (over.signal.aborted) return
      over.abort()
      await endClaim({ store, timings, clock, name, generation, token, row })
    },
  }
}

/** Ends a claim of our own. The first try is waited for where there is a connection; others follow for as long as the store does not answer. */
async function endClaim(parts: Omit<LeaseParts, 'claimed'>): Promise<void> {
  const { store, timings, name, generation, token, row } = parts
  if (store.connection === undefined) return void endLater(parts, timings.lookEveryMs)
  try {
    await store.update(name, toEndOps(row, generation, token))
  } catch {
    void endLater(parts, timings.lookEveryMs)
  }
}

/**
 * Looks from time to time whether a claim of our own has the lock, and ends it then: nobody else would, as long as this process lives.
 * Stops at the first answer of the store, and when the connection is closed for good.
 */
export async function endLater(parts: Omit<LeaseParts, 'claimed' | 'row'>, everyMs: number): Promise<void> {
  const { store, clock, name, generation, token } = parts
  for (;;) {
    await clock.pause(everyMs)
    try {
      const row = await store.read(name)
      if (row !== undefined && holds(row, generation, token)) await store.update(name, toEndOps(row, generation, token))
      return
    } catch (error) {
      if (error instanceof InvocationError && error.code === 'closed') return
    }
  }
}
