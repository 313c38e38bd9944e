import { formatIssues } from '@iii/sdk'
import { CommandFailure, EXIT, type ExitCode, suggestAmong, toShown } from '@iii/sdk/cli'
import type { z } from 'zod'
import { type Drawn, toDot, toMermaid } from '../graph/drawing.ts'
import { INSPECTIONS, type Inspection } from '../inspection/inspection.ts'
import { SEES_ALL } from '../inspection/viewer.ts'
import { toYaml } from '../rendering/layout.ts'
import { describeEntries, describeRun } from '../rendering/runs.ts'
import { describeDifference, describeGraph, describeTasks } from '../rendering/tasks.ts'
import type { RunsSession, RunsWork } from './session.ts'

type Result<Name extends keyof Inspection> = Awaited<ReturnType<Inspection[Name]>>

/** `list [PREFIX]` */
export const list: RunsWork = async (session) => {
  const { operands, flags } = session
  const [prefix] = operands
  const found = await askInspection(session, 'list_tasks', { prefix, cursor: flags.cursor })
  const show = (none?: string) => showResult(session, found, (result, width) => describeTasks(result, width, none))
  if (flags.cursor !== undefined) return show('no more tasks')
  if (prefix === undefined || found.tasks.length > 0) return show()
  const { tasks } = await askInspection(session, 'list_tasks', {})
  const names = tasks.map(({ id }) => id)
  return show(toShown(`no tasks begin with '${prefix}'; ${suggestAmong(prefix, names)}`))
}

/** `graph [JOB]` */
export const graph: RunsWork = async (session) => {
  const { json, format, prefix, cursor } = session.flags
  const request = { job: session.operands[0], prefix, cursor }
  if (format === undefined) {
    return showResult(session, await askInspection(session, 'graph', request), describeGraph)
  }
  if (json) throw new CommandFailure(EXIT.usage, `--json and --format ${format} exclude each other`)
  const whole = await collectGraph(session, request)
  session.screen.print(format === 'dot' ? toDot(whole) : toMermaid(whole))
  return EXIT.done
}

/** All pages: a picture has no second one. */
async function collectGraph(session: RunsSession, request: Record<string, unknown>): Promise<Drawn> {
  let page = await askInspection(session, 'graph', request)
  const pages = [page]
  while (page.cursor !== undefined) {
    page = await askInspection(session, 'graph', { ...request, cursor: page.cursor })
    pages.push(page)
  }
  return {
    tasks: pages.flatMap(({ tasks }) => tasks),
    edges: pages.flatMap(({ edges }) => edges),
    missing: pages.flatMap(({ missing }) => missing),
  }
}

/** `explain TASK` */
export const explain: RunsWork = async (session) =>
  showResult(session, await askInspection(session, 'explain_task', { task: session.operands[0] }), toYaml)

/** `metadata` */
export const metadata: RunsWork = async (session) =>
  showResult(session, await askInspection(session, 'metadata', {}), toYaml)

/** `runs` */
export const runs: RunsWork = async (session) => {
  const { limit, cursor, kind, job, task, status, since } = session.flags
  return showResult(
    session,
    await askInspection(session, 'list_runs', { limit, cursor, kind, job, task, status, since }),
    describeEntries,
  )
}

/** `read RUN|latest` */
export const read: RunsWork = async (session) => {
  const [name = ''] = session.operands
  const run_id = name === 'latest' ? await findLatest(session) : name
  return showResult(session, await askInspection(session, 'read_run', { run_id }), describeRun)
}

async function findLatest(session: RunsSession): Promise<string> {
  const { runs: entries } = await askInspection(session, 'list_runs', { limit: 1, kind: 'run' })
  const [entry] = entries
  if (entry?.kind === 'run') return entry.id
  throw new CommandFailure(EXIT.missing, 'nothing ran yet, or no record of it is kept')
}

/** `diff TASK` */
export const diff: RunsWork = async (session) => {
  const { run: run_id, against, input } = session.flags
  const request = { task: session.operands[0], run_id, against, input }
  return showResult(session, await askInspection(session, 'diff_inputs', request), describeDifference)
}

/** Asks what the tool of that name asks, with the same checks. @throws CommandFailure `usage` for arguments that do not fit */
export async function askInspection<Name extends keyof Inspection>(
  session: RunsSession,
  name: Name,
  request: Record<string, unknown>,
): Promise<Result<Name>> {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
  const parsed = (INSPECTIONS[name].request as z.ZodType).safeParse(given)
  if (!parsed.success) throw new CommandFailure(EXIT.usage, formatIssues(parsed.error.issues))
  const { inspection } = await session.connect()
  const answer = inspection[name] as (request: unknown, viewer: typeof SEES_ALL) => Promise<Result<Name>>
  return await answer(parsed.data, SEES_ALL)
}

/** The result of the tool as it is, or in words. */
export function showResult<T>(
  { flags, screen }: RunsSession,
  result: T,
  describe: (result: T, width?: number) => string,
): ExitCode {
  if (flags.json) screen.printJson(result)
  else screen.print(describe(result, screen.columns))
  return EXIT.done
}
