import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@iii/protocol'
import { z } from 'zod'

/** The longest turn that anybody may claim, so that no row keeps a key from everybody. */
const MAX_TURN_MS = 600_000
/** How much longer than a turn others leave it alone: what its holder sent in time arrives within that. */
const GRACE_MS = 1_000
const MAX_LOOK_MS = 50

/** One entry of a lease's row: somebody wants to be the next holder after another one, or the first. */
const Claim = z.object({
  id: z.string(),
  after: z.string().optional(),
  ms: z.number().min(0).max(MAX_TURN_MS).catch(MAX_TURN_MS),
})
type Claim = z.infer<typeof Claim>

const Row = z.object({ claims: z.array(z.unknown()) })

/** Calls a function of the engine's store for a key of the scope of leases. */
export type LeaseCall = (name: 'get' | 'update' | 'delete', payload: object, timeoutMs?: number) => Promise<unknown>

export interface LeaseTerms {
  /** How long it is held at most. */
  readonly ms: number
  /** When nobody waits for it any longer, by `performance.now()`. */
  readonly waitUntil: number
}

/** Who may work on a key, as all processes of one store agree on it. */
export interface Leases {
  /**
   * Waits until the key is free, or its holder is overdue, and takes it.
   *
   * @returns when it ends, by `performance.now()`; undefined when it was not to be had in time
   */
  take(key: string, terms: LeaseTerms): Promise<number | undefined>
  /** Gives it back; only for its holder, and before its end. */
  release(key: string): Promise<void>
}

/**
 * Who holds a lease by the claims in its row. The store appends them one after the other, so all who read them agree: the first claim on a
 * free key holds it, and of those who follow an overdue holder the first to say so does. A row that is deleted is a free key.
 */
export function findHolder(row: unknown): Claim | undefined {
  const { success, data } = Row.safeParse(row)
  let holder: Claim | undefined
  for (const entry of success ? data.claims : []) {
    const claim = Claim.safeParse(entry)
    if (claim.success && claim.data.after === holder?.id) holder = claim.data
  }
  return holder
}

export function createLeases(call: LeaseCall): Leases {
  async function claim(key: string, after: string | undefined, ms: number): Promise<boolean> {
    const value = { id: randomUUID(), ...(after !== undefined && { after }), ms }
    const answer = await call('update', { key, ops: [{ type: 'append', path: 'claims', value }] })
    return findHolder((answer as { new_value?: unknown } | undefined)?.new_value)?.id === value.id
  }

  /** @returns the holder whose time is over, or 'nobody'; undefined when it took too long. */
  async function waitForEnd(key: string, waitUntil: number): Promise<{ overdue?: string } | undefined> {
    let seen: { id: string; overdueAt: number } | undefined
    for (let look = 1; performance.now() < waitUntil; look = Math.min(look * 2, MAX_LOOK_MS)) {
      const holder = findHolder(await call('get', { key }))
      if (holder === undefined) return {}
      // By this clock alone: those of two machines differ, and the holder's own time began earlier.
      if (holder.id !== seen?.id) seen = { id: holder.id, overdueAt: performance.now() + holder.ms + GRACE_MS }
      if (performance.now() >= seen.overdueAt) return { overdue: holder.id }
      await sleep(look * (0.5 + Math.random()))
    }
    return undefined
  }

  return {
    async take(key, { ms, waitUntil }) {
      let free: { overdue?: string } | undefined = {}
      while (free !== undefined && performance.now() < waitUntil) {
        const begunAt = performance.now()
        if (await claim(key, free.overdue, ms)) return begunAt + ms
        free = await waitForEnd(key, waitUntil)
      }
      return undefined
    },
    async release(key) {
      await call('delete', { key }, GRACE_MS)
    },
  }
}

/** @throws Fault `invalid_input` for a turn that nobody may claim. */
export function checkTurnMs(ms: number): void {
  if (typeof ms === 'number' && ms > 0 && ms <= MAX_TURN_MS) return
  throw new Fault(
    'invalid_input',
    `turnMs is ${typeof ms === 'number' ? ms : 'no number'}; it must be more than 0 and at most ${MAX_TURN_MS}`,
  )
}
