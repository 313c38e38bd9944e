import { compareText, toDescription } from '@iii/protocol'
import type { z } from 'zod'
import { findCacheObstacle } from '../cache/decision.ts'
import { toTaskFingerprint } from '../cache/fingerprint.ts'
import type { ListedRun } from '../contracts/runs.ts'
import type { explainTask as contract } from '../contracts/tasks.ts'
import { collectTasks } from '../graph/closure.ts'
import { toTriggerSource } from '../graph/edges.ts'
import type { TriggerBinding } from '../tasks/directory.ts'
import type { Task, TaskDefinition } from '../tasks/task.ts'
import { toLastRuns } from './last-runs.ts'
import { toPolicy } from './list-tasks.ts'
import { isFitting, toFitting } from './result-limit.ts'
import { refuseTask } from './viewer.ts'
import type { Visibility } from './visibility.ts'

type Explanation = z.output<typeof contract.response>

/** What explains a task beside what it says of itself. */
export interface TaskFacts {
  readonly definition: TaskDefinition
  readonly triggers: readonly TriggerBinding[]
  readonly entries: readonly ListedRun[]
  readonly hiddenPrefixes: readonly string[]
}

export function answerExplain(
  visibility: Visibility,
  { definition, triggers, entries, hiddenPrefixes }: TaskFacts,
): Explanation {
  const { id, description, worker, metadata, requestSchema, responseSchema, dependsOn, record } = definition
  const refusal = refuseTask(definition, hiddenPrefixes)
  const explanation: Explanation = {
    task: id,
    ...withoutAbsent({
      description: toDescription(description),
      worker,
      request_schema: requestSchema,
      response_schema: responseSchema,
      metadata: toShown(metadata, visibility),
    }),
    depends_on: dependsOn.filter(visibility.names),
    dependents: findDependents(id, visibility),
    jobs: findJobs(id, visibility),
    triggers: triggers
      .filter(({ functionId }) => functionId === id)
      .map(({ type, config }) => ({ type, from: toTriggerSource(type, config) }))
      .sort((a, b) => compareText(a.from, b.from)),
    fingerprint: toTaskFingerprint(definition),
    cache: explainCache(definition),
    record,
    gate: refusal === undefined ? { shown: true } : { shown: false, reason: refusal.message },
    last_runs: toLastRuns(entries).get(id) ?? [],
  }
  return isFitting(explanation, visibility.maxBytes) ? explanation : toShort(explanation, visibility)
}

function findDependents(id: string, { tasks }: Visibility): string[] {
  return [...tasks.values()]
    .filter(({ dependsOn }) => dependsOn.includes(id))
    .map((task) => task.id)
    .sort(compareText)
}

function findJobs(id: string, { jobs, all }: Visibility): string[] {
  return [...jobs.values()]
    .filter(({ targets }) => collectTasks(targets, all).ids.has(id))
    .map(({ name }) => name)
    .sort(compareText)
}

const KEY_OF = [
  'the definition: id, description, schemas and metadata',
  'runs.cache.version',
  'the input',
  'the results of what it depends on',
]

function explainCache(task: Task): Explanation['cache'] {
  const { cache } = task.runs
  const policy = cache && { policy: toPolicy(cache) }
  const obstacle = findCacheObstacle(task)
  if (obstacle !== undefined) return { enabled: false, reason: obstacle, ...policy, key_of: [] }
  const reason = 'its code is not a part of the key: change runs.cache.version with it'
  return { enabled: true, reason, ...policy, key_of: KEY_OF }
}

/** Schemas and metadata are what may be large, and after them what others say of it. */
function toShort(
  { request_schema: _request, response_schema: _response, metadata: _metadata, ...rest }: Explanation,
  { maxBytes }: Visibility,
) {
  return toFitting({ ...rest, left_out: 3 }, ['depends_on', 'jobs', 'triggers', 'dependents'], maxBytes)
}

function withoutAbsent<T extends Record<string, unknown>>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<T>
}

/** Where metadata names other functions, and processes. */
const NAMES_OTHERS = /^(?:iii\.|runs\.depends_on$|mcp\.(?:cancel|complete)$)/

/** A client reads in the metadata of one function nothing of others: they may be hidden from it. */
function toShown(metadata: unknown, { viewer }: Visibility): unknown {
  return viewer === undefined ? metadata : withoutOthers(metadata, '')
}

function withoutOthers(value: unknown, room: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([key]) => !NAMES_OTHERS.test(room + key))
  if (room !== '') return Object.fromEntries(members)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutOthers(member, `${key}.`)]))
}
