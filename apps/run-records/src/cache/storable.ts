import type { Task } from '../tasks/task.ts'

/** A larger result is computed again. */
export const MAX_CACHED_BYTES = 256 * 1024

/** What a task came to. */
export interface StorableOutcome {
  readonly output: unknown
  /** Some of it is missing, or has to be taken out before anything is kept. */
  readonly isPartial: boolean
}

/** Whether a result of a task that passed may stand in for running it again. */
export function isStorable(
  task: Pick<Task, 'runs' | 'record' | 'isDestructive'>,
  { output, isPartial }: StorableOutcome,
): boolean {
  if (task.runs.cache === undefined || task.isDestructive || isPartial) return false
  if (task.record !== 'redacted') return false
  return !isFailure(output) && Buffer.byteLength(JSON.stringify(output ?? null)) <= MAX_CACHED_BYTES
}

/** Whether what a function returned counts as a failure: an MCP result that says so, and a question, because there is nobody to ask. */
export function isFailure(output: unknown): boolean {
  if (typeof output !== 'object' || output === null) return false
  const { isError, result_type: type } = output as { isError?: unknown; result_type?: unknown }
  return isError === true || type === 'input_required' || type === 'protocol_error'
}
