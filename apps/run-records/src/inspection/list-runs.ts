import { Fault, parseToolName, refuseInternal } from '@iii/protocol'
import type { z } from 'zod'
import type { listRuns as contract, ListedRun } from '../contracts/runs.ts'
import type { RecordReader } from './records.ts'
import { createRoom, toFitting } from './result-limit.ts'
import { requireJob, requireTask, type Visibility } from './visibility.ts'

/** So many of its tasks a list names; whoever wants to know of all reads the record of the run. */
const MAX_TASKS = 64
/** For what stands around the entries: one that the answer has no room for would be on no page, the cursor is behind it. */
const AROUND_BYTES = 512

type Query = z.output<typeof contract.request>

/**
 * @throws Fault `unavailable` when it is not known who asks, and that matters; `not_found` where nothing is kept of a task or job that is
 *   not there either: that nothing ran would be told of a name that is misspelt
 */
export async function answerList(
  { mine = false, task: named, ...others }: Query,
  visibility: Visibility,
  records: Pick<RecordReader, 'list'>,
): Promise<z.output<typeof contract.response>> {
  if (mine) requireIdentity(visibility)
  const task = named === undefined ? undefined : (parseToolName(named) ?? named)
  const query = task === undefined ? others : { ...others, task }
  const accept = (entry: ListedRun) => visibility.shows(entry) && (!mine || visibility.isMine(entry))
  const room = createRoom(visibility.maxBytes - AROUND_BYTES)
  const { entries, cursor } = await records.list({ ...query, accept, hasRoom: (entry) => room.take(toListed(entry)) })
  if (entries.length === 0 && !mine) requireKnown(query, visibility)
  return toFitting({ runs: entries.map(toListed), ...(cursor && { cursor }) }, ['runs'], visibility.maxBytes)
}

/** What is kept of one that is gone may be what the other conditions leave out. */
function requireKnown({ limit: _, ...query }: Omit<Query, 'mine'>, visibility: Visibility): void {
  const { task, job } = query
  if (Object.values(query).filter((value) => value !== undefined).length !== 1) return
  // Calls of internal functions are kept as well, and those are no tasks.
  if (task !== undefined && refuseInternal(task, undefined, 'tool') === undefined) requireTask(task, visibility)
  if (job !== undefined) requireJob(job, visibility)
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
