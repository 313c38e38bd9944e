import { compareText, toDescription } from '@iii/protocol'
import type { z } from 'zod'
import type { ListedRun } from '../contracts/runs.ts'
import type { listTasks as contract, JobEntry, TaskEntry } from '../contracts/tasks.ts'
import type { TriggerBinding } from '../tasks/directory.ts'
import type { Task } from '../tasks/task.ts'
import { toJobEntries } from './job-entries.ts'
import { toLastRuns } from './last-runs.ts'
import { PAGE, requirePlace, selectIds, toNext } from './page.ts'
import { createRoom, toFitting } from './result-limit.ts'
import { toLeftOut } from './short-record.ts'
import type { Visibility } from './visibility.ts'

/** Jobs leave room for tasks, without which nobody could ask for the next page. */
const JOBS_SHARE = 0.5

type Answer = z.output<typeof contract.response>

/** @param entries the newest runs @throws Fault `invalid_input` for a cursor of something else */
export function answerTasks(
  { prefix, cursor }: z.output<typeof contract.request>,
  visibility: Visibility,
  { triggers, entries }: { triggers: readonly TriggerBinding[]; entries: readonly ListedRun[] },
): Answer {
  const allJobs = toJobEntries(visibility)
  const place = cursor === undefined ? undefined : requirePlace(cursor, ['task', 'job'])
  if (place?.kind === 'job') return answerJobs(allJobs, place.last, visibility)
  const found = selectIds(visibility.tasks.keys(), prefix, place)
  const types = toTypes(triggers)
  const lastRuns = toLastRuns(entries)
  const tasks = found
    .slice(0, PAGE)
    .flatMap((id) => visibility.tasks.get(id) ?? [])
    .map((task) => toEntry(task, visibility, [...(types.get(task.id) ?? [])], lastRuns))
  const room = createRoom(visibility.maxBytes * JOBS_SHARE)
  const end = allJobs.findIndex((job) => !room.take(job))
  const first = end === -1 ? allJobs : allJobs.slice(0, end)
  const page = toFitting({ jobs: place === undefined ? first : [], tasks }, ['jobs', 'tasks'], visibility.maxBytes)
  const next = toNext('task', found, page.tasks.length)
  return {
    tasks: page.tasks,
    jobs: page.jobs,
    ...('cursor' in next ? next : toNextJobs(allJobs, first.length)),
    ...toLeftOut(found.length - page.tasks.length + (allJobs.length - first.length)),
  }
}

/** What had no room beside the first tasks comes behind the last ones. */
function answerJobs(all: readonly JobEntry[], last: string, { maxBytes }: Visibility): Answer {
  const found = all.filter(({ name }) => compareText(name, last) > 0)
  const { jobs } = toFitting({ jobs: found }, ['jobs'], maxBytes)
  return { tasks: [], jobs, ...toNextJobs(found, jobs.length), ...toLeftOut(found.length - jobs.length) }
}

function toNextJobs(found: readonly JobEntry[], shown: number): { cursor?: string } {
  const names = found.map(({ name }) => name)
  return toNext('job', names, shown)
}

function toEntry(
  { id, description, worker, dependsOn, runs, record }: Task,
  visibility: Visibility,
  triggers: string[],
  lastRuns: ReturnType<typeof toLastRuns>,
): TaskEntry {
  const shown = toDescription(description)
  const lastRun = lastRuns.get(id)?.[0]
  return {
    id,
    ...(shown === undefined ? {} : { description: shown }),
    ...(worker === undefined ? {} : { worker }),
    depends_on: dependsOn.filter(visibility.names),
    triggers: triggers.sort(compareText),
    ...(runs.cache === undefined ? {} : { cache: toPolicy(runs.cache) }),
    record,
    ...(lastRun === undefined ? {} : { last_run: lastRun }),
  }
}

/** As JSON has it: without what is not there. */
export function toPolicy({ ttl_ms, version }: NonNullable<Task['runs']['cache']>): NonNullable<TaskEntry['cache']> {
  return { ttl_ms, ...(version === undefined ? {} : { version }) }
}

function toTypes(triggers: readonly TriggerBinding[]): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>()
  for (const { functionId, type } of triggers) types.set(functionId, (types.get(functionId) ?? new Set()).add(type))
  return types
}
