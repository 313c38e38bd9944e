import { Fault } from '@iii/protocol'
import type { z } from 'zod'
import type { listRuns as contract, ListedRun } from '../contracts/runs.ts'
import type { RecordReader } from './records.ts'
import { createRoom, toFitting } from './result-limit.ts'
import type { Visibility } from './visibility.ts'

/** So many of its tasks a list names; whoever wants to know of all reads the record of the run. */
const MAX_TASKS = 64

/** @throws Fault `unavailable` when it is not known who asks, and that matters */
export async function answerList(
  { mine = false, ...query }: z.output<typeof contract.request>,
  visibility: Visibility,
  records: Pick<RecordReader, 'list'>,
): Promise<z.output<typeof contract.response>> {
  if (mine) requireIdentity(visibility)
  const accept = (entry: ListedRun) => visibility.shows(entry) && (!mine || visibility.isMine(entry))
  const room = createRoom()
  const { entries, cursor } = await records.list({ ...query, accept, hasRoom: (entry) => room.take(toListed(entry)) })
  return toFitting({ runs: entries.map(toListed), ...(cursor === undefined ? {} : { cursor }) }, ['runs'])
}

function toListed(entry: ListedRun): ListedRun {
  return entry.kind === 'run' ? { ...entry, tasks: entry.tasks.slice(0, MAX_TASKS) } : entry
}

function requireIdentity({ viewer }: Visibility): void {
  if (viewer?.principal !== undefined || viewer?.session !== undefined) return
  const who =
    viewer === undefined ? 'only calls that come over MCP are of somebody' : 'the bridge does not say who asks'
  throw new Fault('unavailable', `'mine' cannot be answered: ${who}; ask without it`)
}
