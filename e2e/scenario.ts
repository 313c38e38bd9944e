import { type TestOptions, test } from 'vitest'
import { isBorrowed } from './chosen-engine.ts'
import { NEEDS_OWN_ENGINE } from './own-engine.ts'
import type { RequirementId } from './requirements.ts'

/** Facts have deadlines of their own; this one is for the sum of them on a busy machine. */
const TIMEOUT_MS = 90_000

/**
 * A test that proves requirements. `requirements.test.ts` reads the ids from the source text, so they stand here as
 * literals: `scenario(['tools/list'], 'a client sees …', async () => { … })`.
 */
export function scenario(
  proves: readonly [RequirementId, ...RequirementId[]],
  sentence: string,
  body: () => Promise<void> | void,
  options: TestOptions = { timeout: TIMEOUT_MS },
): void {
  if (isBorrowed() && sentence in NEEDS_OWN_ENGINE) return
  test(`${sentence} [${proves.join(', ')}]`, options, body)
}
