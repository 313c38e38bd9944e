import { until } from '../until.ts'
import type { SoakClient } from './http-clients.ts'
import type { CallVerdict } from './ledger.ts'
import type { Model } from './model.ts'

/** After a last fault a store may still be written back. */
const SETTLES_MS = 30_000

/** Reads all that was acknowledged. @returns what is not as it was acknowledged */
export async function findLost(
  model: Model,
  client: SoakClient,
  read: (id: string, client: SoakClient) => Promise<CallVerdict>,
): Promise<string[]> {
  const lost: string[] = []
  for (const id of model.ids()) {
    const isThere = async () => {
      const verdict = await read(id, client)
      if (verdict.outcome === 'right') return true
      throw new Error(verdict.outcome === 'wrong' ? verdict.text : JSON.stringify(verdict))
    }
    const deadlineMs = lost.length === 0 ? SETTLES_MS : 1_000
    await until(isThere, { what: `${id} to be read`, deadlineMs }).catch((error: Error) => lost.push(error.message))
  }
  return lost
}
