import { hash } from '../record/digests.ts'
import type { TaskDefinition } from '../tasks/task.ts'

/** What our SDK says about the process that registered a function: another one after each restart. */
const PROCESS_KEYS = 'iii.'

/**
 * A digest of everything that a function says about itself. Its code is not part of it: nobody but its worker can see that, which is what
 * `runs.cache.version` is for.
 */
export function toTaskFingerprint(
  definition: Pick<TaskDefinition, 'id' | 'description' | 'requestSchema' | 'responseSchema' | 'metadata'>,
): string {
  const { id, description, requestSchema, responseSchema, metadata } = definition
  return hash({ id, description, requestSchema, responseSchema, metadata: toLasting(metadata) })
}

function toLasting(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith(PROCESS_KEYS)))
}
