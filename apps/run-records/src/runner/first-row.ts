import type { RecordPolicy } from '@iii/protocol'
import type { Plan } from '../jobs/plan.ts'
import type { LockLease } from '../lock/lease.ts'
import type { Options } from '../options.ts'
import { createDigests } from '../record/digests.ts'
import { type RunRow, SCHEMA_VERSION } from '../record/run-record.ts'
import { createKnownSecrets } from '../redaction/known-secrets.ts'
import { toPayload } from '../redaction/payload.ts'
import type { StoreFacts } from '../store/facts.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import type { RunRequest } from './request.ts'

export interface FirstRowParts {
  readonly id: string
  readonly plan: Plan
  readonly definitions: ReadonlyMap<string, TaskDefinition>
  readonly lease: LockLease
  readonly facts: StoreFacts
  readonly holder: string
  readonly options: Options
}

/** The row of a run that begins. */
export function toFirstRow(
  request: RunRequest,
  { id, plan, definitions, lease, facts, holder, options }: FirstRowParts,
): RunRow {
  const { via, client, session, principal, caller_worker, force = false, input = {} } = request
  const digests = createDigests(facts.digestKey)
  // What is given to the job goes into the payload of its targets, whose schemas may call it a secret.
  const otherSchemas = plan.job.targets.map((target) => definitions.get(target)?.requestSchema)
  const rules = {
    record: strictest(plan),
    schema: plan.job.input,
    otherSchemas,
    maxBytes: options.recordInputBytes,
    digests,
    known: createKnownSecrets(),
  }
  return {
    schema_version: SCHEMA_VERSION,
    id,
    job: plan.job.name,
    via,
    ...(client && { client }),
    ...(session && { session }),
    ...(principal && { principal }),
    ...(caller_worker && { caller_worker }),
    holder,
    lock: { name: lease.name, generation: lease.generation },
    status: 'running',
    started_at: new Date().toISOString(),
    force,
    input: toPayload(input, rules),
    task_count: plan.tasks.length,
  }
}

/** What all targets allow: the input of a job goes into each of them. */
function strictest({ job, tasks }: Plan): RecordPolicy {
  const policies = tasks.filter(({ id }) => job.targets.includes(id)).map(({ task }) => task.record)
  if (policies.includes('none')) return 'none'
  return policies.includes('digest') ? 'digest' : 'redacted'
}
