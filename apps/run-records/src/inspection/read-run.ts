import { compareText, Fault } from '@iii/protocol'
import type { z } from 'zod'
import type { readRun as contract } from '../contracts/runs.ts'
import type { Graph } from '../contracts/tasks.ts'
import { sortTasks } from '../graph/order.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { RecordReader } from './records.ts'
import { isFitting, sizeOf, toExcess, toFitting } from './result-limit.ts'
import { keepTasks, leaveOutValues, toLeftOut } from './short-record.ts'
import { toLister, type Visibility } from './visibility.ts'

type Answer = z.output<typeof contract.response>
type FoundRun = NonNullable<Awaited<ReturnType<RecordReader['read']>>>

/** @throws Fault `not_found`, the same for one that may not be shown */
export function answerRead(
  { run_id }: z.output<typeof contract.request>,
  visibility: Visibility,
  found: FoundRun | undefined,
): Answer {
  const { record, context_packs } = requireShown(run_id, visibility, found)
  const receipts = record.tasks.map(({ id, cache }) => ({ ...cache, task: id }))
  const answer: Answer = { record, receipts, context_packs, graph: toRunGraph(record) }
  return isFitting(answer, visibility.maxBytes) ? answer : toShort(answer, visibility.maxBytes)
}

/** A run that whoever asks may see, with what goes with it. @throws Fault `not_found` */
export async function requireRun(
  runId: string,
  visibility: Visibility,
  records: Pick<RecordReader, 'read'>,
): Promise<FoundRun> {
  return requireShown(runId, visibility, await records.read(runId))
}

function requireShown(runId: string, visibility: Visibility, found: FoundRun | undefined): FoundRun {
  if (found !== undefined && visibility.shows({ ...found.record, task_count: found.task_count, kind: 'run' }))
    return found
  throw new Fault(
    'not_found',
    `There is no run ${runId}, or not any more: ${toLister(visibility, 'runs')} shows the runs`,
  )
}

/** What depended on what in that run, whatever is registered today. */
function toRunGraph({ tasks }: RunRecord): Graph {
  const ids = tasks.map(({ id }) => id).sort(compareText)
  const needs = new Map(
    tasks.map((task): [string, string[]] => [
      task.id,
      [...(task.depends_on ?? Object.keys(task.needs))].sort(compareText),
    ]),
  )
  return {
    tasks: ids.map((id) => ({
      id,
      depends_on: needs.get(id) ?? [],
      dependents: ids.filter((other) => needs.get(other)?.includes(id)),
    })),
    execution_order: [...sortTasks(ids, needs).order],
    edges: ids.flatMap((to) =>
      (needs.get(to) ?? []).map((from) => ({ from, to, kind: 'depends' as const, source: 'record' as const })),
    ),
    cycles: [],
    missing: [],
    coverage: { complete: false, sources: ['record'], unseen: ['what the tasks called in turn'] },
  }
}

/** Without the largest values first: what they were about stays; then without what says again what the tasks say. */
function toShort(answer: Answer, maxBytes: number): Answer {
  const { record, leftOut } = leaveOutValues(answer.record, toExcess(answer, maxBytes))
  const short = toFitting({ ...answer, record, ...toLeftOut(leftOut) }, ['context_packs', 'receipts'], maxBytes)
  if (isFitting(short, maxBytes)) return short
  const graph = { ...answer.graph, tasks: [], edges: [], execution_order: [] }
  const bare = { record: { ...record, tasks: [] }, receipts: [], context_packs: [], graph }
  const tasks = keepTasks(record, maxBytes - sizeOf({ ...bare, left_out: Number.MAX_SAFE_INTEGER }))
  return { ...bare, record: { ...record, tasks }, left_out: leftOut + record.tasks.length - tasks.length }
}
