import { formatTable, toShown } from '@iii/sdk/cli'
import type { z } from 'zod'
import type { diffInputs } from '../contracts/runs.ts'
import type { graph, listTasks } from '../contracts/tasks.ts'
import { toSection } from './layout.ts'

/** Results about tasks, in words. */

export function describeTasks(
  { tasks, jobs, cursor, left_out: leftOut }: z.output<typeof listTasks.response>,
  width?: number,
  none = 'no tasks: no worker on this engine offers a function',
): string {
  const jobTable = formatTable(
    [{ title: 'JOB' }, { title: 'LOCK' }, { title: 'RUNS' }],
    jobs.map(({ name, lock, tasks: ids, problem }) => [name, lock, problem ?? ids.join(' → ')]),
    width,
  )
  const taskTable = formatTable(
    [{ title: 'TASK' }, { title: 'WORKER' }, { title: 'LAST' }, { title: 'DEPENDS ON' }],
    tasks.map(({ id, worker = '', last_run, depends_on }) => [
      id,
      worker,
      last_run?.status ?? '',
      depends_on.join(', '),
    ]),
    width,
  )
  const more = cursor === undefined ? '' : `\n${leftOut ?? 0} more: the same with --cursor ${cursor}\n`
  return `${jobs.length === 0 ? '' : `${jobTable}\n`}${tasks.length === 0 ? `${none}\n` : taskTable}${more}`
}

export function describeGraph(
  { execution_order, edges, cycles, missing, coverage, cursor, left_out: leftOut }: z.output<typeof graph.response>,
  width?: number,
): string {
  const edgeTable = formatTable(
    [{ title: 'FROM' }, { title: 'TO' }, { title: 'KIND' }, { title: 'SOURCE' }],
    edges.map(({ from, to, kind, source, count }) => [
      from,
      to,
      count === undefined ? kind : `${kind} ×${count}`,
      source,
    ]),
    width,
  )
  return [
    `Order\n${toLines(execution_order)}`,
    edges.length === 0 ? '' : toSection('Edges', edgeTable),
    toSection('In a circle', toLines(cycles.map((cycle) => cycle.join(' → ')))),
    toSection(
      'Missing',
      toLines(
        missing.map(({ id, needed_by: by }) => `${id}, ${by.length === 0 ? 'a target' : `for ${by.join(', ')}`}`),
      ),
    ),
    `\nNot seen: ${coverage.unseen.join('; ')}\n`,
    leftOut === undefined
      ? ''
      : `\n${leftOut} more${cursor === undefined ? '' : `: the same with --cursor ${cursor}`}\n`,
  ].join('')
}

export function describeDifference(difference: z.output<typeof diffInputs.response>): string {
  const { task, baseline_missing, reason, baseline, compared, dependencies_changed: needs = [] } = difference
  if (baseline_missing) return `${toShown(`${task}: nothing to compare with: ${reason}`)}\n`
  const { added = [], removed = [], changed = [], not_compared: secret = [], same_result: same } = difference
  const lines = [
    ...changed.map((pointer) => `input changed: ${pointer || '(all of it)'}`),
    ...added.map((pointer) => `input added: ${pointer || '(all of it)'}`),
    ...removed.map((pointer) => `input removed: ${pointer || '(all of it)'}`),
    ...secret.map((pointer) => `not compared: ${pointer || '(all of it)'}`),
    ...(difference.definition_changed ? ['definition changed'] : []),
    ...needs.map((id) => `dependency ${id} changed`),
    ...(same === undefined ? [] : [same ? 'same result' : 'another result']),
  ]
  const from = baseline?.run_id ?? 'the baseline'
  const to = compared?.run_id ?? 'this input'
  return `${toShown(task)}: from ${from} to ${to}\n${toLines(lines.length === 0 ? ['nothing differs'] : lines)}`
}

/** Below a heading; what strangers call their functions and fields stays on its line. */
function toLines(texts: readonly string[]): string {
  return texts.map((text) => `  ${toShown(text)}\n`).join('')
}
