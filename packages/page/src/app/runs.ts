import { callTool } from './connection.ts'

/** What the worker `runs` answers, as far as this page shows it. */

export interface RunRow {
  readonly id: string
  readonly kind: 'run' | 'call'
  readonly job?: string
  readonly status: string
  readonly started_at: string
  readonly duration_ms?: number
  readonly tasks: readonly { readonly id: string; readonly status: string }[]
}

export interface TaskRecord {
  readonly id: string
  readonly status: string
  readonly started_at?: string
  readonly duration_ms?: number
  readonly cache?: { readonly decision: string; readonly reason?: string }
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

export interface Run extends Omit<RunRow, 'tasks'> {
  readonly tasks: readonly TaskRecord[]
}

export interface Graph {
  readonly tasks: readonly { readonly id: string }[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
}

export async function listRuns(): Promise<readonly RunRow[]> {
  return (await ask<{ runs: RunRow[] }>('runs__list_runs', { limit: 50 })).runs
}

export async function readRun(id: string): Promise<Run> {
  return (await ask<{ record: Run }>('runs__read_run', { run_id: id })).record
}

export function readGraph(job?: string): Promise<Graph> {
  return ask('runs__graph', job === undefined ? {} : { job })
}

/** What differs for one task between two runs: JSON pointers, never values. */
export interface Difference {
  readonly baseline_missing?: true
  readonly reason?: string
  readonly added?: readonly string[]
  readonly removed?: readonly string[]
  readonly changed?: readonly string[]
  readonly not_compared?: readonly string[]
  readonly definition_changed?: boolean
  readonly dependencies_changed?: readonly string[]
  readonly same_result?: boolean
}

export function compare(task: string, run_id: string, against: string): Promise<Difference> {
  return ask('runs__diff_inputs', { task, run_id, against })
}

/** A difference in words. */
export function toWords(difference: Difference): string[] {
  if (difference.baseline_missing) return [difference.reason ?? 'nothing to compare with']
  const { added = [], removed = [], changed = [], not_compared = [], dependencies_changed = [] } = difference
  const lists = Object.entries({ added, removed, changed, 'not compared, as secret': not_compared })
  const words = [
    ...lists.flatMap(([word, pointers]) => (pointers.length === 0 ? [] : [`input ${word}: ${pointers.join(', ')}`])),
    ...(difference.definition_changed ? ['another definition'] : []),
    ...(dependencies_changed.length === 0 ? [] : [`other results of ${dependencies_changed.join(', ')}`]),
    ...(difference.same_result === undefined ? [] : [difference.same_result ? 'the same result' : 'another result']),
  ]
  return words.length === 0 ? ['the same input'] : words
}

/** @throws Error with what the tool said */
async function ask<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const { isError, structuredContent, content } = await callTool(name, args)
  if (!isError && structuredContent !== undefined) return structuredContent as T
  const [block] = content
  throw new Error(block?.type === 'text' ? block.text : `${name} answered with nothing that this page can show`)
}

/** A run in a few letters. */
export function toTitle({ status, job, kind, tasks }: RunRow): string {
  const sign = { passed: '✓', failed: '✗', running: '…', cancelled: '–' }[status] ?? '•'
  return `${sign} ${job ?? tasks[0]?.id ?? kind}`
}

export function toLine({ started_at, duration_ms, status, tasks }: RunRow): string {
  const took = duration_ms === undefined ? '' : `, ${duration_ms} ms`
  return `${new Date(started_at).toLocaleString()}: ${status}${took}, ${tasks.length} task${tasks.length === 1 ? '' : 's'}`
}
