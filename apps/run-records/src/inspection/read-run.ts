import { compareText, Fault } from '@iii/protocol'
import type { z } from 'zod'
import type { readRun as contract } from '../contracts/runs.ts'
import type { Graph } from '../contracts/tasks.ts'
import { sortTasks } from '../graph/order.ts'
import type { Payload } from '../record/payload.ts'
import type { RunRecord, TaskRecord } from '../record/run-record.ts'
import type { RecordReader } from './records.ts'
import { isFitting } from './result-limit.ts'
import type { Visibility } from './visibility.ts'

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
  return isFitting(answer) ? answer : toShort(answer)
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
  if (found !== undefined && visibility.shows({ ...found.record, kind: 'run' })) return found
  throw new Fault('not_found', `There is no run ${runId}, or not any more: list_runs shows the runs`)
}

/** What depended on what in that run, whatever is registered today. */
function toRunGraph({ tasks }: RunRecord): Graph {
  const ids = tasks.map(({ id }) => id).sort(compareText)
  const needs = new Map(tasks.map((task): [string, string[]] => [task.id, Object.keys(task.needs).sort(compareText)]))
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

/** Without the largest values, as many as it takes: what they were about stays. */
function toShort(answer: Answer): Answer {
  const bySize = answer.record.tasks
    .flatMap(({ id, input, output }) => [
      { id, key: 'input' as const, bytes: input?.bytes ?? 0 },
      { id, key: 'output' as const, bytes: output?.bytes ?? 0 },
    ])
    .sort((a, b) => b.bytes - a.bytes)
  let short = answer
  for (const [at, { id, key }] of bySize.entries()) {
    const tasks = short.record.tasks.map((task) => (task.id === id ? leaveOut(task, key) : task))
    short = { ...short, record: { ...short.record, tasks }, left_out: at + 1 }
    if (isFitting(short)) return short
  }
  return { ...short, record: { ...short.record, tasks: [] }, receipts: [], left_out: bySize.length }
}

function leaveOut(task: TaskRecord, key: 'input' | 'output'): TaskRecord {
  const { value: _value, ...rest }: Payload = task[key] ?? {}
  return { ...task, [key]: { ...rest, omitted: 'too_large' } }
}
