import { Fault } from '@iii/protocol'
import type { z } from 'zod'
import type { Entry } from '../contracts/runs.ts'
import type { graph as contract, Graph } from '../contracts/tasks.ts'
import { type Edge, toDeclaredEdges, toTriggerEdges } from '../graph/edges.ts'
import { toGraph } from '../graph/graph.ts'
import type { TriggerBinding } from '../tasks/directory.ts'
import { toFitting } from './fit.ts'
import type { Sight } from './sight.ts'

/** What edges are made of beside what functions say of themselves. */
export interface EdgeFacts {
  readonly triggers: readonly TriggerBinding[]
  /** Runs and calls that may be shown. */
  readonly entries: readonly Entry[]
  /** Whether bridges tell of calls. */
  readonly recordsCalls: boolean
}

/** @throws Fault `not_found` for a job that is not there */
export function graphOf({ job }: z.output<typeof contract.request>, sight: Sight, facts: EdgeFacts): Graph {
  return toFittingGraph(job === undefined ? sight.tasks.keys() : requireJob(job, sight).targets, sight, facts)
}

/** @throws Fault `not_found`, the same for a job that may not be shown */
export function requireJob(name: string, { jobs }: Sight) {
  const job = jobs.get(name)
  if (job !== undefined) return job
  throw new Fault('not_found', `There is no job '${name.slice(0, 128).toWellFormed()}': list_tasks shows the jobs`)
}

/** The graph of some tasks and all that they depend on. */
export function toFittingGraph(roots: Iterable<string>, sight: Sight, facts: EdgeFacts): Graph {
  const { tasks, names } = sight
  const edges = [
    ...[...tasks.values()].flatMap(toDeclaredEdges),
    ...facts.triggers.flatMap(toTriggerEdges),
    ...toCalledEdges(facts.entries),
  ]
  const graph = { ...toGraph({ roots, tasks, edges, names }), coverage: toCoverage(facts.recordsCalls) }
  return toFitting(graph, ['tasks', 'execution_order', 'edges', 'missing', 'cycles'])
}

/** What clients called, as far as it is recorded. */
function toCalledEdges(entries: readonly Entry[]): Edge[] {
  const calls = new Map<string, Edge & { count: number }>()
  for (const entry of entries) {
    if (entry.kind !== 'call' || entry.function_id === undefined) continue
    const from = `client ${entry.client?.name ?? 'unknown'}`
    const key = JSON.stringify([from, entry.function_id])
    const known = calls.get(key)
    const count = (known?.count ?? 0) + 1
    // The newest comes first.
    const lastSeen = known?.last_seen ?? entry.started_at
    calls.set(key, { from, to: entry.function_id, kind: 'called', source: 'record', count, last_seen: lastSeen })
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
