import { Fault } from '@iii/protocol'
import { endLater, type LeaseParts, type LockLease, startLease } from './lease.ts'
import { holds, type LockClaim, type LockRow, toClaimOps } from './lock-row.ts'
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
  wish: LockClaim,
): Promise<LockLease | undefined> {
  const { store, clock } = parts
  const { token } = wish
  for (let tries = 1; ; tries += 1) {
    const claimed = { at: clock.now(), on: store.connection }
    const { row, lost } = await sendClaim(parts, generation, wish)
    if (row !== undefined && holds(row, generation, token))
      return startLease({ ...parts, generation, token, row, claimed })
    if (lost === undefined) return undefined
    if (row?.generation === generation && tries < CLAIM_TRIES) continue
    // It may still arrive, and nobody would ever end it: whoever looks too soon does not see it yet.
    void endLater({ ...parts, generation, token }, parts.timings.beatEveryMs)
    throw lost
  }
}

/** @returns the row as it is after the claim; with the error, when the answer of the claim was lost */
async function sendClaim(
  { store, name }: Pick<LeaseParts, 'store' | 'name'>,
  generation: number,
  wish: LockClaim,
): Promise<{ row: LockRow | undefined; lost?: unknown }> {
  try {
    return { row: requireRow(await store.update(name, toClaimOps(generation, wish)), name) }
  } catch (error) {
    if (error instanceof Fault) throw error
    return { row: await store.read(name).catch(() => undefined), lost: error }
  }
}
