import { randomUUID } from 'node:crypto'
import { claimGeneration } from './claim.ts'
import { endDeadClaim } from './dead-holders.ts'
import { createExpiry } from './expiry.ts'
import type { LockClock, LockLease } from './lease.ts'
import { type Held, type LockRow, toEndOps } from './lock-row.ts'
import { type LockStore, requireRow } from './lock-store.ts'
import type { LockTimings } from './timings.ts'

/** What came of wanting a lock. */
export type Acquired = { lease: LockLease } | { conflict: LockConflict }

/** Who wants a lock. */
export interface Wish {
  /** The function that is on the engine as long as this process. */
  readonly holder: string
  /** What the lock is for. */
  readonly run: string
}

/** Who has it. */
export interface LockConflict extends Held {
  /** Its process is not on the engine: its claim ends when its beats have stood still for long enough. */
  readonly isGone: boolean
}

export interface AcquireOptions {
  /** How long to wait for it. @default 0: a lock that is held is a conflict at once */
  waitMs?: number | undefined
  signal?: AbortSignal | undefined
  /** Is told once who has the lock, when it has to be waited for. */
  onWaiting?: ((held: Held) => void) | undefined
  /** Is told whose claim was ended because its process is dead. */
  onTakenOver?: ((dead: Held) => void | Promise<void>) | undefined
}

/** What was in the way of a lock. */
export interface Unlocked {
  /** Whose claim was ended. */
  readonly ended: Held | undefined
  /** Whether the row was somebody else's, and is empty now. */
  readonly isEmptied: boolean
}

/** The locks of one process. */
export interface Locks {
  /**
   * Takes a lock, or says who has it.
   *
   * @throws Fault `unavailable` for a row that somebody else wrote; what the store said when it does not answer.
   */
  acquire(name: string, wish: Wish, options?: AcquireOptions): Promise<Acquired>
  /** Who has the lock, without wanting it. */
  look(name: string): Promise<LockConflict | undefined>
  /** Whether the process of that holder is on the engine. @throws what the engine said when it does not answer */
  isThere(holder: string): Promise<boolean>
  /** Whether that claim still counts, which none does in a row that no lock can be. @throws what the store said when it does not answer */
  counts(name: string, generation: number): Promise<boolean>
  /**
   * Ends the claim of a process that is gone, as soon as its beats have stood still for long enough.
   *
   * @returns whether it counts no more; false for a process that lives, here or on another engine
   * @throws what the store said when it does not answer
   */
  endDead(name: string, generation: number): Promise<boolean>
  /** Ends whatever claim there is, dead or alive, and empties a row that no lock can be. */
  unlock(name: string): Promise<Unlocked>
}

export function createLocks(store: LockStore, timings: LockTimings, clock: LockClock): Locks {
  const expiry = createExpiry(timings.deadAfterMs, clock)
  const ours = new Set<string>()
  const read = async (name: string) => requireRow(await store.read(name), name)
  const end = (name: string, row: LockRow, { generation, token }: Held) =>
    store.update(name, toEndOps(row, generation, token))
  const toConflict = async (held: Held): Promise<LockConflict> => ({
    ...held,
    isGone: !(await store.hasFunction(held.holder)),
  })

  async function claim(name: string, row: LockRow, { holder, run }: Wish): Promise<LockLease | undefined> {
    const wish = { token: randomUUID(), holder, run, since: new Date().toISOString() }
    // Before it is sent: who looks at the row meanwhile must not take it for one whose answer never came.
    ours.add(wish.token)
    let lease: LockLease | undefined
    try {
      lease = await claimGeneration({ store, timings, clock, name }, row, wish)
    } finally {
      if (lease === undefined) ours.delete(wish.token)
    }
    return lease && { ...lease, release: () => release(lease, wish.token) }
  }

  async function release(lease: LockLease, token: string): Promise<void> {
    ours.delete(token)
    await lease.release()
  }

  /** Whether it is that of a dead process, or one of ours whose answer never came. */
  async function isDead(name: string, held: Held, self: string): Promise<boolean> {
    if (held.holder === self && !ours.has(held.token)) return true
    return expiry.isReached(name, held) && !(await store.hasFunction(held.holder))
  }

  /** @returns whose lock it is; undefined when it is worth while to look again at once */
  async function tryOnce(
    name: string,
    wish: Wish,
    { onTakenOver }: AcquireOptions,
  ): Promise<LockLease | Held | undefined> {
    const row = await read(name)
    const { held } = row
    if (held === undefined) return await claim(name, row, wish)
    if (!(await isDead(name, held, wish.holder))) return held
    await end(name, row, held)
    await onTakenOver?.(held)
    return undefined
  }

  return {
    async acquire(name, wish, options = {}) {
      const { waitMs = 0, signal } = options
      const until = clock.now() + waitMs
      let { onWaiting } = options
      for (;;) {
        const got = await tryOnce(name, wish, options)
        if (got === undefined) continue
        if ('release' in got) return { lease: got }
        const left = until - clock.now()
        if (left <= 0 || signal?.aborted) return { conflict: await toConflict(got) }
        onWaiting?.(got)
        onWaiting = undefined
        await clock.pause(Math.min(timings.lookEveryMs, left), signal)
      }
    },
    async look(name) {
      const { held } = await read(name)
      return held && (await toConflict(held))
    },
    isThere: store.hasFunction,
    counts: async (name, generation) => (await store.read(name))?.held?.generation === generation,
    endDead: (name, generation) => endDeadClaim({ store, timings, clock, expiry }, name, generation),
    async unlock(name) {
      const row = await store.read(name)
      if (row === undefined) await store.clear(name)
      else if (row.held !== undefined) await end(name, row, row.held)
      return { ended: row?.held, isEmptied: row === undefined }
    },
  }
}
