import { randomUUID } from 'node:crypto'
import { compareText, Fault } from '@iii/protocol'
import type { z } from 'zod'
import { toTaskFingerprint } from '../cache/fingerprint.ts'
import type { diffInputs as contract } from '../contracts/runs.ts'
import { findDifference } from '../diff/difference.ts'
import { toLeaves } from '../diff/leaves.ts'
import { createDigests } from '../record/digests.ts'
import type { Payload } from '../record/payload.ts'
import type { TaskRecord } from '../record/run-record.ts'
import { toPayload } from '../redaction/payload.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import { requireRun } from './read-run.ts'
import type { RecordReader } from './records.ts'
import { toFitting } from './result-limit.ts'
import { requireTask, type Visibility } from './visibility.ts'

type Request = z.output<typeof contract.request>
type Answer = z.output<typeof contract.response>

export interface DiffFacts {
  readonly records: RecordReader
  /** The task as it is registered now; undefined when it is not any more. */
  readonly definition: TaskDefinition | undefined
}

/** One of the two things that are compared. */
interface Side {
  readonly run_id?: string
  readonly record: Pick<TaskRecord, 'input' | 'definition_fingerprint'> & Partial<TaskRecord>
}

/** @throws Fault `not_found` for a run that is not there, `invalid_input` for arguments that do not go together */
export async function answerDiff(request: Request, visibility: Visibility, facts: DiffFacts): Promise<Answer> {
  const { task, run_id: runId, input } = request
  if (runId !== undefined && input !== undefined) {
    throw new Fault('invalid_input', 'run_id and input cannot go together: compare a run, or an input')
  }
  const compared = input === undefined ? await findCompared(request, visibility, facts) : toSide(input, facts)
  if (compared === undefined) {
    // Of one that is gone there may be records; of this there are none, either.
    if (facts.definition === undefined) requireTask(task, visibility)
    return { task, baseline_missing: true, reason: 'no record of a run of this task is kept' }
  }
  const baseline = await findBaseline(request, compared.run_id, visibility, facts)
  if (baseline === undefined) {
    const before = compared.run_id === undefined ? '' : ` before ${compared.run_id}`
    return { task, baseline_missing: true, reason: `no run in which it passed is kept${before}` }
  }
  const answer = { task, baseline: tell(baseline), compared: tell(compared), ...compare(baseline, compared) }
  return toFitting(answer, ['changed', 'added', 'removed'], visibility.maxBytes)
}

/** An input that somebody thinks of, compared by the definition of now. @throws Fault `not_found` */
function toSide(input: unknown, { definition }: DiffFacts): Side | undefined {
  if (definition === undefined) return undefined
  const { record, requestSchema: schema } = definition
  const payload = toPayload(input, { record, schema, maxBytes: Number.MAX_SAFE_INTEGER, digests })
  return { record: { input: payload, definition_fingerprint: toTaskFingerprint(definition) } }
}

async function findCompared(
  { task, run_id }: Request,
  visibility: Visibility,
  { records }: DiffFacts,
): Promise<Side | undefined> {
  if (run_id !== undefined) return await readSide(run_id, task, visibility, records)
  return await findSide(task, visibility, records, () => true)
}

async function findBaseline(
  { task, against }: Request,
  compared: string | undefined,
  visibility: Visibility,
  { records }: DiffFacts,
): Promise<Side | undefined> {
  if (against !== undefined) return await readSide(against, task, visibility, records)
  // Ids sort by time.
  const isBefore = (id: string) => compared === undefined || compareText(id, compared) < 0
  return await findSide(task, visibility, records, (id, status) => isBefore(id) && PASSED.has(status))
}

const PASSED: ReadonlySet<string> = new Set(['passed', 'cached'])

async function readSide(runId: string, task: string, visibility: Visibility, records: RecordReader): Promise<Side> {
  const { record } = await requireRun(runId, visibility, records)
  const found = record.tasks.find(({ id }) => id === task)
  if (found === undefined)
    throw new Fault('not_found', `The run ${runId} has no task ${task}: read_run shows its tasks`)
  if (found.input === undefined)
    throw new Fault('not_found', `The run ${runId} has nothing of ${task} to compare: ${found.cache.reason}`)
  return { run_id: runId, record: found }
}

/** The newest run of a task that fits, of those in which it was begun. */
async function findSide(
  task: string,
  visibility: Visibility,
  records: RecordReader,
  fits: (runId: string, status: string) => boolean,
): Promise<Side | undefined> {
  const { entries } = await records.list({
    limit: 1,
    kind: 'run',
    task,
    accept: (entry) =>
      entry.kind === 'run' &&
      visibility.shows(entry) &&
      entry.tasks.some(({ id, status }) => id === task && status !== 'skipped' && fits(entry.id, status)),
  })
  const [entry] = entries
  return entry?.kind === 'run' ? await readSide(entry.id, task, visibility, records) : undefined
}

function tell({ run_id, record: { finished_at, status } }: Side): NonNullable<Answer['baseline']> {
  return {
    ...(run_id === undefined ? {} : { run_id }),
    ...(finished_at === undefined ? {} : { finished_at }),
    ...(status === undefined ? {} : { status }),
  }
}

function compare({ record: before }: Side, { record: after, run_id }: Side): Partial<Answer> {
  const isThought = run_id === undefined
  const changedNeeds = findChanged(before.needs ?? {}, after.needs ?? {})
  const results = [before.output?.digest, after.output?.digest] as const
  return {
    ...comparePayloads(before.input ?? {}, after.input ?? {}, isThought),
    definition_changed: before.definition_fingerprint !== after.definition_fingerprint,
    ...(isThought ? {} : { dependencies_changed: changedNeeds }),
    ...(results.includes(undefined) ? {} : { same_result: results[0] === results[1] }),
  }
}

function findChanged(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  const ids = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...ids].filter((id) => before[id] !== after[id]).sort(compareText)
}

/** They only tell what is equal here, and go nowhere. */
const digests = createDigests(randomUUID())

/**
 * What is kept of inputs is compared part by part; what is not, as a whole. A secret in an input that somebody thinks of is not compared:
 * the answer would tell whether it was guessed right.
 */
function comparePayloads(before: Payload, after: Payload, isThought: boolean): Partial<Answer> {
  const secrets = [...new Set([...(before.redacted ?? []), ...(after.redacted ?? [])])].sort(compareText)
  if (before.value === undefined || after.value === undefined) return compareWhole(before, after, isThought)
  const notCompared = isThought && secrets.length > 0 ? { not_compared: secrets } : {}
  const { added, removed, changed } = findDifference(toLeaves(before.value, digests), toLeaves(after.value, digests))
  const isSecret = before.digest !== after.digest && added.length + removed.length + changed.length === 0
  return { ...notCompared, added, removed, changed: isSecret && !isThought ? secrets : changed }
}

function compareWhole(before: Payload, after: Payload, isThought: boolean): Partial<Answer> {
  if (isThought) return { not_compared: [''] }
  return { added: [], removed: [], changed: before.digest === after.digest ? [] : [''] }
}
