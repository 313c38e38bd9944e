import { type Column, formatTable, toShown } from '@iii/sdk/cli'
import type { z } from 'zod'
import type { ListedRun, listRuns, readRun } from '../contracts/runs.ts'
import type { RunRecord } from '../record/run-record.ts'
import { toDuration, toSection, toUtcTime } from './layout.ts'

/** Results about runs, in words. */

const ENTRY_COLUMNS: readonly Column[] = [
  { title: 'STARTED (UTC)' },
  { title: 'ID' },
  { title: 'WHAT' },
  { title: 'VIA' },
  { title: 'STATUS' },
  { title: 'TOOK', right: true },
]

export function describeEntries({ runs, cursor }: z.output<typeof listRuns.response>, width?: number): string {
  const table = formatTable(ENTRY_COLUMNS, runs.map(toRow), width)
  const more = cursor === undefined ? '' : `\nmore: the same with --cursor ${cursor}\n`
  return `${runs.length === 0 ? 'no runs\n' : table}${more}`
}

function toLabel({ function_id: id, namespace, tool = '' }: Extract<ListedRun, { kind: 'call' }>): string {
  if (id === undefined) return tool
  return namespace === undefined ? id : `${id} (in ${namespace})`
}

function toRow(entry: ListedRun): string[] {
  if (entry.kind === 'gap') return [toUtcTime(entry.at), '', `${entry.missed} calls that nobody told of`, '', '', '']
  const { started_at: at, id, duration_ms: ms } = entry
  if (entry.kind === 'run') return [toUtcTime(at), id, entry.job, entry.via, entry.status, toDuration(ms)]
  return [toUtcTime(at), '', toLabel(entry), entry.client?.name ?? 'mcp', entry.outcome, toDuration(ms)]
}

export function describeRun(
  { record, context_packs: packs }: z.output<typeof readRun.response>,
  width?: number,
): string {
  const failures = packs.map(({ task, error, tail, reproduce, difference }) => {
    const changed = [...(difference?.changed ?? []), ...(difference?.added ?? []), ...(difference?.removed ?? [])]
    return [
      `  ${task}: ${error.message} [${error.code}]`,
      ...(changed.length === 0 ? [] : [`    differs from the last that passed: ${changed.join(', ')}`]),
      ...(tail === undefined ? [] : tail.split('\n').map((line) => `    | ${line}`)),
      `    again: ${reproduce}`,
    ]
      .map((line) => `${toShown(line)}\n`)
      .join('')
  })
  return `${describeRecord(record, width)}${toSection('What failed', failures.join(''))}`
}

/** A run with its tasks. */
export function describeRecord(record: RunRecord, width?: number): string {
  const { id, job, via, status, started_at: at, duration_ms: ms, error, tasks } = record
  const took = ms === undefined ? '' : `, ${toDuration(ms)}`
  const why = error === undefined ? '' : `${toShown(`${error.message} [${error.code}]`)}\n`
  const table = formatTable(
    [{ title: 'TASK' }, { title: 'STATUS' }, { title: 'TOOK', right: true }, { title: 'CACHE' }, { title: 'WHY' }],
    tasks.map((task) => [task.id, task.status, toDuration(task.duration_ms), task.cache.decision, task.cache.reason]),
    width,
  )
  return `${toShown(`${job} ${id}: ${status} (${via}, ${toUtcTime(at)} UTC${took})`)}\n${why}${tasks.length === 0 ? '' : `\n${table}`}`
}
