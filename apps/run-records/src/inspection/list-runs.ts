import { Fault } from '@iii/protocol'
import type { z } from 'zod'
import type { listRuns as contract, Entry } from '../contracts/runs.ts'
import { createRoom, toFitting } from './fit.ts'
import type { RecordReader } from './records.ts'
import type { Sight } from './sight.ts'

/** @throws Fault `unavailable` when it is not known who asks, and that matters */
export async function listRuns(
  { mine = false, ...query }: z.output<typeof contract.request>,
  sight: Sight,
  records: Pick<RecordReader, 'list'>,
): Promise<z.output<typeof contract.response>> {
  if (mine) requireIdentity(sight)
  const accept = (entry: Entry) => sight.shows(entry) && (!mine || sight.isMine(entry))
  const room = createRoom()
  const { entries, cursor } = await records.list({ ...query, accept, hasRoom: (entry) => room.take(entry) })
  return toFitting({ runs: entries, ...(cursor === undefined ? {} : { cursor }) }, ['runs'])
}

function requireIdentity({ viewer }: Sight): void {
  if (viewer?.principal !== undefined || viewer?.session !== undefined) return
  const who =
    viewer === undefined ? 'only calls that come over MCP are of somebody' : 'the bridge does not say who asks'
  throw new Fault('unavailable', `'mine' cannot be answered: ${who}; ask without it`)
}
