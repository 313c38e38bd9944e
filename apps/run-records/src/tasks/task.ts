import { isInternalId, type RecordPolicy, type RunsMetadata, readMcpMetadata, readRunsMetadata } from '@iii/protocol'

/** A function that a worker registered and that may be a part of a run. */
export interface Task {
  readonly id: string
  readonly description: string | undefined
  /** The worker that the engine reports for it, which can be wrong. */
  readonly worker: string | undefined
  /** As registered: any JSON. */
  readonly metadata: unknown
  /** What it says of itself for runs; a malformed part of it is left out. */
  readonly runs: RunsMetadata
  /** The functions whose results it needs first, each once. */
  readonly dependsOn: readonly string[]
  /** What may be kept of its payloads and results. */
  readonly record: RecordPolicy
  /** It says of itself that what it changes may be lost. */
  readonly isDestructive: boolean
}

/** A task with what it takes and gives, as its author described it. */
export interface TaskDefinition extends Task {
  readonly requestSchema: unknown
  readonly responseSchema: unknown
}

export interface FunctionFacts {
  readonly id: string
  readonly description?: string | undefined
  readonly worker?: string | undefined
  readonly metadata?: unknown
}

/** A task out of what the engine tells of a function; undefined for plumbing of the engine and of workers. */
export function toTask({ id, description, worker, metadata }: FunctionFacts): Task | undefined {
  if (!isTaskId(id) || isInternal(metadata)) return undefined
  const runs = readRunsMetadata(metadata)
  return {
    id,
    description,
    worker,
    metadata,
    runs,
    dependsOn: [...new Set(runs.depends_on)],
    record: runs.record ?? 'redacted',
    // Of thousands that are listed, few are asked.
    get isDestructive() {
      return readMcpMetadata(metadata).annotations?.destructiveHint === true
    },
  }
}

/** Whether a function of this id may be a task: in no internal namespace, and not one of ours, which only look on. */
export function isTaskId(id: string): boolean {
  return id !== '' && !isInternalId(id) && !/^runs::/i.test(id)
}

function isInternal(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && 'internal' in metadata && metadata.internal === true
}
