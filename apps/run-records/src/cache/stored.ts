import { z } from 'zod'

const digests = z.record(z.string(), z.string())

/** What a result depends on, as far as it can be seen from outside. No value is in it. */
export const Ingredients = z.object({
  /** Of the definition of the function. */
  fingerprint: z.string(),
  /** `runs.cache.version`. */
  version: z.string().optional(),
  /** Digests of the parts of the input, by JSON pointer. */
  input: digests,
  /** Digests of the results that it got, by task. */
  needs: digests,
})
export type Ingredients = z.output<typeof Ingredients>

/** The last time that a task passed. */
export const Baseline = z.object({
  run_id: z.string(),
  /** Who had it run, where clients have to say who they are. */
  principal: z.string().optional(),
  finished_at: z.string(),
  ingredients: Ingredients,
  result: z.string(),
})
export type Baseline = z.output<typeof Baseline>

/** A baseline as whoever wants the next run may know it: that of somebody else's run has no ingredients. */
export interface KnownBaseline {
  readonly ingredients?: Ingredients | undefined
}

/** A result that may stand in for running its task again. */
export const CachedResult = z.object({
  run_id: z.string(),
  task: z.string(),
  /** RFC 3339. */
  stored_at: z.string(),
  output: z.unknown(),
  /** Digest of the output. */
  result: z.string(),
})
export type CachedResult = z.output<typeof CachedResult>
