import { cutUtf8, toPlainMessage } from '@iii/protocol'
import { REDACTED } from '@iii/protocol/redaction'
import { decideOnCache } from '../cache/decision.ts'
import { toTaskFingerprint } from '../cache/fingerprint.ts'
import { toCacheKey, toIngredients } from '../cache/key.ts'
import { isStorable } from '../cache/storable.ts'
import type { Baseline, CachedResult, Ingredients } from '../cache/stored.ts'
import type { PlannedTask } from '../jobs/plan.ts'
import { millisecondsSince } from '../record/duration.ts'
import type { Payload } from '../record/payload.ts'
import type { CacheReceipt, RunError, TaskRecord } from '../record/run-record.ts'
import { createKnownSecrets } from '../redaction/known-secrets.ts'
import { isWhole, toPayload } from '../redaction/payload.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import { judgeAnswer, judgeError, type RunOutcome, STOPS } from './outcome.ts'
import type { TaskContext } from './task-context.ts'

/** What came of a task. */
export interface TaskEnd {
  readonly record: TaskRecord
  readonly ingredients: Ingredients
  /** What later runs are compared with; undefined for a task that did not pass now. */
  readonly baseline: Baseline | undefined
}

interface Prepared {
  readonly outputs: Record<string, unknown>
  readonly ingredients: Ingredients
  readonly receipt: CacheReceipt
  readonly stored: CachedResult | undefined
}

/**
 * Runs a task, or takes its result from the cache.
 *
 * @returns undefined when it may not be started any more
 */
export async function runTask(
  context: TaskContext,
  task: PlannedTask,
  definition: TaskDefinition,
): Promise<TaskEnd | undefined> {
  const [startedAt, begun] = [new Date().toISOString(), performance.now()]
  // Before anything is said about it: what is secret in it is hidden in what the function answers.
  const input = keepInput(context, definition, task)
  const prepared = await prepare(context, task, definition)
  const { stored, receipt, ingredients } = prepared
  if (stored === undefined && !(await context.mayStart())) return undefined
  const outcome = stored ? toPassed(stored) : await call(context, task, definition, prepared.outputs)
  const [finishedAt, took] = [new Date().toISOString(), millisecondsSince(begun)]
  const output = keepOutput(context, definition, outcome)
  const error = outcome.error && keepError(context, definition, task, outcome.error)
  const record: TaskRecord = {
    id: task.id,
    status: stored ? 'cached' : outcome.status,
    started_at: startedAt,
    finished_at: finishedAt,
    duration_ms: took,
    input,
    ...(output && { output }),
    ...(error && { error }),
    cache: receipt,
    needs: context.results.toRecord(task),
    definition_fingerprint: toTaskFingerprint(definition),
  }
  if (outcome.status !== 'passed') return { record, ingredients, baseline: undefined }
  context.results.add(task.id, outcome.output, definition.record !== 'none')
  if (stored) return { record, ingredients, baseline: undefined }
  const result = { run_id: context.run.id, output: outcome.output, finishedAt }
  await storeResult(context, definition, { ...result, kept: output, key: receipt.key })
  return { record, ingredients, baseline: toBaseline(context, ingredients, result) }
}

async function prepare(context: TaskContext, task: PlannedTask, definition: TaskDefinition): Promise<Prepared> {
  const { outputs, digests: needs } = context.results.of(task)
  const inputs = { definition, payload: task.payload, needs }
  const ingredients = toIngredients(inputs, context.digests, context.known)
  const baseline = context.baselines.get(task.id)
  const question = { task: definition, force: context.run.force, ingredients, baseline, now: Date.now() }
  const first = decideOnCache({ ...question, stored: undefined })
  if (first.decision === 'disabled') return { outputs, ingredients, receipt: first, stored: undefined }
  const key = toCacheKey(inputs, context.digests)
  if (first.decision === 'bypassed') return { outputs, ingredients, receipt: { ...first, key }, stored: undefined }
  // A cache that does not answer is a miss.
  const found = await context.cache.find(key, context.cacheEpoch).catch(() => undefined)
  const receipt = { ...decideOnCache({ ...question, stored: found }), key }
  return { outputs, ingredients, receipt, stored: receipt.decision === 'hit' ? found : undefined }
}

function toPassed(stored: CachedResult): RunOutcome {
  return { status: 'passed', output: stored.output }
}

async function call(
  context: TaskContext,
  task: PlannedTask,
  definition: TaskDefinition,
  needs: Record<string, unknown>,
): Promise<RunOutcome> {
  const { run, signal } = context
  try {
    const output = await context.worker.trigger({
      function_id: task.id,
      payload: task.payload,
      metadata: { runs: { run_id: run.id, job: run.job, needs } },
      timeoutMs: Math.max(1, Math.min(definition.runs.timeout_ms ?? Number.POSITIVE_INFINITY, context.leftMs())),
      signal,
    })
    return judgeAnswer(output)
  } catch (error) {
    return judgeError(error, context.stopped())
  }
}

function keepInput(context: TaskContext, { record, requestSchema }: TaskDefinition, task: PlannedTask): Payload {
  const { limits, digests, known, job } = context
  const otherSchemas = job.targets.includes(task.id) ? [job.input] : []
  const rules = { record, schema: requestSchema, otherSchemas, maxBytes: limits.inputBytes, digests, known }
  return toPayload(task.payload, rules)
}

function keepOutput(
  { limits, digests, known }: TaskContext,
  { record, responseSchema: schema }: TaskDefinition,
  { status, output }: RunOutcome,
): Payload | undefined {
  if (status !== 'passed' && output === undefined) return undefined
  return toPayload(output, { record, schema, maxBytes: limits.outputBytes, digests, known })
}

/** What is said of its failure may be in the words of the function, and is a result of it then; without an SDK it may say where on its machine that was. */
function keepError(
  { known }: TaskContext,
  { record }: TaskDefinition,
  { payload }: PlannedTask,
  error: RunError,
): RunError {
  if (Object.values(STOPS).includes(error)) return error
  const { code, message } = error
  if (record === 'none') return { code, message: NOT_KEPT }
  // Nothing of its input may be kept but a digest, in its own words neither.
  const own = createKnownSecrets()
  if (record === 'digest') own.learn(payload, REDACTED)
  // Cut when nothing secret is in it any more: half a secret is not found.
  const plain = toPlainMessage(own.hideInError(known.hideInError(message)))
  return { code, message: cutUtf8(plain, MAX_MESSAGE_BYTES) }
}

const MAX_MESSAGE_BYTES = 2048

const NOT_KEPT = 'It did not pass; its runs.record says that nothing of its answers is kept'

interface Result {
  readonly run_id: string
  readonly output: unknown
  readonly finishedAt: string
}

async function storeResult(
  { cache, cacheEpoch, digests, write }: TaskContext,
  definition: TaskDefinition,
  { run_id, output, finishedAt, kept, key }: Result & { kept: Payload | undefined; key: string | undefined },
): Promise<void> {
  const isPartial = kept === undefined || !isWhole(kept)
  if (key === undefined || !isStorable(definition, { output, isPartial })) return
  const result = digests.digest(output ?? null)
  const row = { run_id, task: definition.id, stored_at: finishedAt, output: output ?? null, result }
  await write(() => cache.store(key, cacheEpoch, row))
}

function toBaseline({ digests, run }: TaskContext, ingredients: Ingredients, result: Result): Baseline {
  const { run_id, output, finishedAt } = result
  return {
    run_id,
    principal: run.principal,
    finished_at: finishedAt,
    ingredients,
    result: digests.digest(output ?? null),
  }
}
