import { Fault } from '@iii/protocol'
import { endLater, type Lease, type LeaseParts, startLease } from './lease.ts'
import { type Claim, holds, type LockRow, toClaimOps } from './lock-row.ts'
import { requireRow } from './lock-store.ts'

/** A claim whose answer was lost may be repeated: the token is the same, and only the first claim of a generation counts. */
const CLAIM_TRIES = 5

/**
 * Claims the open generation of a row.
 *
 * @returns undefined when another claim came first
 * @throws what the store said when it does not answer; the claim is ended later, should it have counted
 */
export async function claimGeneration(
  parts: Pick<LeaseParts, 'store' | 'timings' | 'clock' | 'name'>,
  { generation }: LockRow,
  wish: Claim,
): Promise<Lease | undefined> {
  const { store, clock, name } = parts
  const { token } = wish
  for (let tries = 1; ; tries += 1) {
    const claimed = { at: clock.now(), on: store.connection }
    const toLease = (row: LockRow | undefined) =>
      row && holds(row, generation, token) ? startLease({ ...parts, generation, token, row, claimed }) : undefined
    try {
      return toLease(requireRow(await store.update(name, toClaimOps(generation, wish)), name))
    } catch (error) {
      if (error instanceof Fault) throw error
      const row = await store.read(name).catch(() => undefined)
      const lease = toLease(row)
      if (lease !== undefined) return lease
      if (row?.generation === generation && tries < CLAIM_TRIES) continue
      // It may still arrive, and nobody would ever end it.
      void endLater({ ...parts, generation, token })
      throw error
    }
  }
}
