import type { z } from 'zod'
import type { ListedRun } from '../contracts/runs.ts'
import type { graph as contract, Graph } from '../contracts/tasks.ts'
import { collectTasks } from '../graph/closure.ts'
import { type Edge, toDeclaredEdges, toTriggerEdges } from '../graph/edges.ts'
import { toGraph } from '../graph/graph.ts'
import { ownFunctionOf } from '../record/call-record.ts'
import type { TriggerBinding } from '../tasks/directory.ts'
import { PAGE, requirePlace, selectIds, toNext } from './page.ts'
import { isFitting, toFitting } from './result-limit.ts'
import { toLeftOut } from './short-record.ts'
import type { TasksById } from './viewer.ts'
import { requireJob, type Visibility } from './visibility.ts'

type Page = z.output<typeof contract.response>

/** What edges are made of beside what functions say of themselves. */
export interface EdgeFacts {
  readonly triggers: readonly TriggerBinding[]
  /** Runs and calls that may be shown. */
  readonly entries: readonly ListedRun[]
  /** Whether bridges tell of calls. */
  readonly recordsCalls: boolean
}

/** @throws Fault `not_found` for a job that is not there, `invalid_input` for a cursor of something else */
export function graphOf(
  { job, prefix, cursor }: z.output<typeof contract.request>,
  visibility: Visibility,
  facts: EdgeFacts,
): Page {
  const { tasks, names, maxBytes } = visibility
  const place = cursor === undefined ? undefined : requirePlace(cursor, ['task'])
  const closure = collectTasks(job === undefined ? tasks.keys() : requireJob(job, visibility).targets, tasks)
  const found = selectIds(closure.ids, prefix, place)
  const edges = collectEdges(tasks, facts)
  const toPage = (shown: readonly string[]): Page => ({
    ...toGraph({ closure, shown, tasks, edges, names }),
    coverage: toCoverage(facts.recordsCalls),
    ...toLeftOut(found.length - shown.length),
  })
  let page = toPage(found.slice(0, PAGE))
  // Each edge is on the page of its task: what has no room comes with the next one.
  while (page.tasks.length > 1 && !isFitting(page, maxBytes)) page = toPage(found.slice(0, page.tasks.length / 2))
  const fitting = toFitting(page, ['tasks', 'execution_order', 'edges', 'missing', 'cycles'], maxBytes)
  return { ...fitting, ...toNext('task', found, fitting.tasks.length) }
}

function collectEdges(tasks: TasksById, { triggers, entries }: EdgeFacts): Edge[] {
  return [
    ...[...tasks.values()].flatMap(toDeclaredEdges),
    ...triggers.flatMap(toTriggerEdges),
    ...toCalledEdges(entries),
  ]
}

/** What clients called, as far as it is recorded. */
function toCalledEdges(entries: readonly ListedRun[]): Edge[] {
  const calls = new Map<string, Edge & { count: number }>()
  for (const entry of entries) {
    const to = entry.kind === 'call' ? ownFunctionOf(entry) : undefined
    if (entry.kind !== 'call' || to === undefined) continue
    const from = `client ${entry.client?.name ?? 'unknown'}`
    const key = JSON.stringify([from, to])
    const known = calls.get(key)
    const count = (known?.count ?? 0) + 1
    // The newest comes first.
    const lastSeen = known?.last_seen ?? entry.started_at
    calls.set(key, { from, to, kind: 'called', source: 'record', count, last_seen: lastSeen })
  }
  return [...calls.values()]
}

/** No graph is complete: the engine tells nobody which function calls which. */
function toCoverage(recordsCalls: boolean): Graph['coverage'] {
  const unseen = ['calls from worker to worker', 'triggers that wait for their provider']
  return {
    complete: false,
    sources: ['declared', 'engine', ...(recordsCalls ? ['record'] : [])],
    unseen: recordsCalls ? unseen : [...unseen, 'calls of MCP clients: record.calls is off'],
  }
}
