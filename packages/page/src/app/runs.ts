import { callTool } from './connection.ts'

/** What the worker `runs` answers, as far as this page shows it. */

/** One line of what ran. */
export type RunsEntry = RunRow | CallRow | Gap

export interface RunRow {
  readonly kind: 'run'
  readonly id: string
  readonly job: string
  readonly status: string
  readonly started_at: string
  readonly duration_ms?: number
  /** The first of them. */
  readonly tasks: readonly { readonly id: string; readonly status: string }[]
  readonly task_count: number
}

/** A call that an MCP client made. */
export interface CallRow {
  readonly kind: 'call'
  readonly id: string
  /** The name or address that was asked for. */
  readonly tool: string
  readonly client?: { readonly name: string }
  readonly started_at: string
  readonly duration_ms?: number
  readonly outcome: string
  readonly code?: string
}

/** Calls that nobody told of. */
export interface Gap {
  readonly kind: 'gap'
  readonly missed: number
  readonly at: string
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

/** The record of a run. */
export interface Run extends Omit<RunRow, 'kind' | 'tasks' | 'task_count'> {
  readonly tasks: readonly TaskRecord[]
  /** How many tasks and values had no room in the answer. */
  readonly left_out?: number
}

export interface Graph {
  readonly tasks: readonly { readonly id: string }[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
}

/** So many are listed. */
const MAX_ENTRIES = 50
/** More are a knot and no picture. */
const MAX_TASKS = 200
/** Whoever sees little of what there is gets pages with little. */
const MAX_PAGES = 8

export async function listRuns(): Promise<readonly RunsEntry[]> {
  const entries: RunsEntry[] = []
  for await (const { runs } of askPages<{ runs: RunsEntry[] }>('runs__list_runs', { limit: MAX_ENTRIES })) {
    entries.push(...runs)
    if (entries.length >= MAX_ENTRIES) break
  }
  return entries.slice(0, MAX_ENTRIES)
}

export async function readRun(id: string): Promise<Run> {
  const { record, left_out = 0 } = await ask<{ record: Run; left_out?: number }>('runs__read_run', { run_id: id })
  return { ...record, left_out }
}

/** What leads where, and the tasks that it binds: the first of them, where there are too many for a picture. */
export async function readGraph(job?: string): Promise<Graph> {
  const tasks: Graph['tasks'][number][] = []
  const edges: Graph['edges'][number][] = []
  let bound: Graph['tasks'] = []
  for await (const page of askPages<Graph>('runs__graph', job === undefined ? {} : { job })) {
    tasks.push(...page.tasks)
    edges.push(...page.edges)
    const ends = new Set(edges.flatMap(({ from, to }) => [from, to]))
    bound = tasks.filter(({ id }) => ends.has(id))
    if (bound.length >= MAX_TASKS) break
  }
  return { tasks: bound.slice(0, MAX_TASKS), edges }
}

/** Page after page, as large as the server shows them. */
async function* askPages<P>(name: string, args: Record<string, unknown>) {
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await ask<P & { cursor?: string }>(name, { ...args, ...(cursor && { cursor }) })
    yield page
    cursor = page.cursor
    if (cursor === undefined) return
  }
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
export function toDifferenceWords(difference: Difference): string[] {
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

const SIGNS: Readonly<Record<string, string>> = {
  passed: '✓',
  ok: '✓',
  failed: '✗',
  error: '✗',
  refused: '✗',
  running: '…',
  input_required: '…',
  cancelled: '–',
  given_up: '–',
}

/** What stands for an entry in the address of the page. */
export function toEntryKey(entry: RunsEntry): string {
  return entry.kind === 'gap' ? `gap-${entry.at}` : entry.id
}

/** An entry in a few letters. */
export function toEntryTitle(entry: RunsEntry): string {
  if (entry.kind === 'gap') return `• ${entry.missed} call${entry.missed === 1 ? '' : 's'} that nobody told of`
  const [state, what] = entry.kind === 'run' ? [entry.status, entry.job] : [entry.outcome, entry.tool]
  return `${SIGNS[state] ?? '•'} ${what}`
}

export function toEntryLine(entry: RunsEntry): string {
  if (entry.kind === 'gap') return toShownTime(entry.at)
  const took = entry.duration_ms === undefined ? '' : `, ${entry.duration_ms} ms`
  const begun = toShownTime(entry.started_at)
  if (entry.kind === 'call') return `${begun}: ${entry.outcome}${took}, called by ${entry.client?.name ?? 'a client'}`
  const { status, task_count: count } = entry
  return `${begun}: ${status}${took}, ${count} task${count === 1 ? '' : 's'}`
}

export function toShownTime(at: string): string {
  return new Date(at).toLocaleString()
}
