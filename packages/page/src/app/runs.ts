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

export function compare(task: string, run_id: string, against: string): Promise<unknown> {
  return ask('runs__diff_inputs', { task, run_id, against })
}

/** @throws Error with what the tool said */
async function ask<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const { isError, structuredContent, content } = await callTool(name, args)
  if (!isError && structuredContent !== undefined) return structuredContent as T
  const [block] = content
  throw new Error(block?.type === 'text' ? block.text : `${name} answered with nothing that this page can show`)
}
