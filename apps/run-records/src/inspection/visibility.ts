import { Fault } from '@iii/protocol'
import { findNearestFew, suggestNames } from '@iii/sdk'
import { collectTasks } from '../graph/closure.ts'
import type { JobDeclarations } from '../jobs/declaration.ts'
import { type Job, readJobs } from '../jobs/job.ts'
import { type CallRecord, ownFunctionOf } from '../record/call-record.ts'
import type { Task } from '../tasks/task.ts'
import type { Identity, TasksById, TaskView, TaskViewer } from './viewer.ts'

/** What whoever asks may be told. */
export interface Visibility {
  /** Everything that is registered: to follow dependencies, never to be shown as it is. */
  readonly all: TasksById
  readonly tasks: TasksById
  readonly jobs: ReadonlyMap<string, Job>
  readonly viewer: Identity | undefined
  readonly maxBytes: number
  /** Whether an id may be named: a task that may be shown, or something that is no task at all. */
  names(id: string): boolean
  /** Whether a run or a call may be shown. */
  shows(entry: Traced): boolean
  /** Whether whoever asks did it. */
  isMine(entry: Traced): boolean
}

/** What shows whoever asks the names, or the runs, that there are. */
export function toLister({ viewer }: Pick<Visibility, 'viewer'>, what: 'tasks' | 'runs' = 'tasks'): string {
  const command = what === 'tasks' ? 'list' : 'runs'
  return viewer === undefined ? `\`iii-runs ${command}\`, or runs::list_${what},` : `runs__list_${what}`
}

/** @throws Fault `not_found`, the same for one that may not be shown */
export function requireTask(id: string, visibility: Visibility): Task {
  return requireNamed('task', id, visibility.tasks, visibility)
}

/** @throws Fault `not_found`, the same for a job that may not be shown */
export function requireJob(name: string, visibility: Visibility): Job {
  return requireNamed('job', name, visibility.jobs, visibility)
}

const MAX_SUGGESTED = 3

function requireNamed<T>(what: string, name: string, all: ReadonlyMap<string, T>, visibility: Visibility): T {
  const found = all.get(name)
  if (found !== undefined) return found
  const nearest = findNearestFew(name, all.keys(), MAX_SUGGESTED)
  const advice = suggestNames(nearest, `${toLister(visibility)} shows the ${what}s`)
  throw new Fault('not_found', `There is no ${what} '${name.slice(0, 128).toWellFormed()}'${advice}`)
}

/** Of a run or a call, what says who may know of it. */
export type Traced =
  | ({
      readonly kind: 'run'
      readonly job: string
      /** Those that are told of: the first of many, and while it runs those that have ended. */
      readonly tasks: readonly { readonly id: string }[]
      readonly task_count: number
    } & Identity)
  | ({ readonly kind: 'call' } & Pick<CallRecord, 'function_id' | 'namespace'> & Identity)
  | { readonly kind: 'gap' }

/** @param all what is registered */
export async function readVisibility(
  all: TasksById,
  viewer: TaskViewer,
  declarations: JobDeclarations,
): Promise<Visibility> {
  const view = await viewer(all)
  const { tasks, viewer: identity, maxBytes } = view
  const jobs = new Map([...readJobs(declarations, all)].filter(([, job]) => showsJob(job, all, view)))
  const isMine = (entry: Traced) => identity !== undefined && isOf(entry, identity)
  return {
    all,
    tasks,
    jobs,
    viewer: identity,
    maxBytes,
    names: (id) => tasks.has(id) || !all.has(id),
    shows: (entry) =>
      identity === undefined || (isOwnOrOpen(entry, identity) && (isMine(entry) || isVisible(entry, tasks, jobs))),
    isMine,
  }
}

/** A client is told of a job when it may see everything that the job would run: what is missing nobody can see. */
function showsJob(job: Job, all: TasksById, { tasks, viewer }: TaskView): boolean {
  if (viewer === undefined) return true
  return [...collectTasks(job.targets, all).ids].every((id) => tasks.has(id))
}

/** By who it is, where the bridge knows that; else by its session. */
function isOf(entry: Traced, { principal, session }: Identity): boolean {
  if (entry.kind === 'gap') return false
  if (principal !== undefined) return entry.principal === principal
  return session !== undefined && entry.principal === undefined && entry.session === session
}

/** What somebody did who had to say who it is, nobody else is told who is not to be told of all. */
function isOwnOrOpen(entry: Traced, identity: Identity): boolean {
  if (identity.runs === 'all') return true
  if (identity.principal !== undefined) return isOf(entry, identity)
  return entry.kind === 'gap' || entry.principal === undefined
}

function isVisible(entry: Traced, tasks: TasksById, jobs: Visibility['jobs']): boolean {
  if (entry.kind === 'gap') return true
  if (entry.kind === 'call') return tasks.has(ownFunctionOf(entry) ?? '')
  // What else it runs, or would have run, its job alone can tell.
  const isWhole = entry.tasks.length >= entry.task_count
  return (isWhole || jobs.has(entry.job)) && entry.tasks.every(({ id }) => tasks.has(id))
}
