import { toLeaves } from '../diff/leaves.ts'
import { type Digests, hash } from '../record/digests.ts'
import type { KnownSecrets } from '../redaction/known-secrets.ts'
import type { TaskDefinition } from '../tasks/task.ts'
import { toTaskFingerprint } from './fingerprint.ts'
import type { Ingredients } from './stored.ts'

const KEY_VERSION = 1

/** What goes into a task: its definition, its payload and the results that it needs. */
export interface Inputs {
  readonly definition: TaskDefinition
  readonly payload: unknown
  /** Digests of the results of its dependencies, by task. */
  readonly needs: Readonly<Record<string, string>>
}

/**
 * The key under which a result is looked up, by hand and over MCP alike. The payload is in it as a digest with the key of this store: a
 * plain hash of a short secret can be tried out.
 */
export function toCacheKey({ definition, payload, needs }: Inputs, { digest }: Digests): string {
  const { id: task, runs } = definition
  const fingerprint = toTaskFingerprint(definition)
  return hash({ v: KEY_VERSION, task, version: runs.cache?.version, fingerprint, input: digest(payload), needs })
}

/** The same, so that a later run can be told what has changed. */
export function toIngredients(
  { definition, payload, needs }: Inputs,
  digests: Digests,
  known?: KnownSecrets,
): Ingredients {
  const version = definition.runs.cache?.version
  return {
    fingerprint: toTaskFingerprint(definition),
    ...(version === undefined ? {} : { version }),
    input: { ...toLeaves(payload, digests, known) },
    needs: { ...needs },
  }
}
