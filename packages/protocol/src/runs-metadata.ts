import { z } from 'zod'
import { keepValid, MAX_TIMEOUT_MS, readField } from './metadata-fields.ts'

/** What may be kept of the payloads and results of a function: nothing, keyed digests alone, or all but secrets. */
export const RECORD_POLICIES = ['none', 'digest', 'redacted'] as const
export type RecordPolicy = (typeof RECORD_POLICIES)[number]

const functionId = z.string().min(1).max(1_024)

/**
 * What a function may say about itself in its registration metadata for the records of runs, under `runs: { … }` or flat as
 * `"runs.…"`. Every field is optional.
 */
export const RunsMetadata = z
  .object({
    /** Ids of the functions whose results it works on. */
    depends_on: z.array(functionId).max(256),
    /** Its result may be used again for so long, for the same input and the same `version`. */
    cache: z.object({
      ttl_ms: z.int().positive().max(Number.MAX_SAFE_INTEGER),
      /** Changes with the code: nothing else tells that the code is another. */
      version: z.string().max(128).optional(),
    }),
    /** What may be kept of its payloads and results. */
    record: z.enum(RECORD_POLICIES),
    /** It is a job: it can be run by its id. */
    job: z.boolean(),
    /** How long it may take in a run, in milliseconds. */
    timeout_ms: z.int().positive().max(MAX_TIMEOUT_MS),
  })
  .partial()
export type RunsMetadata = z.infer<typeof RunsMetadata>

/**
 * Reads the `runs` metadata of a function in both spellings, as `readMcpMetadata` reads `mcp`: a malformed field is left out. A
 * malformed `record` is `none`: somebody meant to say something, and what was kept cannot be taken back.
 *
 * @example
 * readRunsMetadata({ 'runs.record': 'nothing', runs: { depends_on: ['orders::collect'], timeout_ms: -1 } })
 * // { depends_on: ['orders::collect'], record: 'none' }
 */
export function readRunsMetadata(metadata: unknown): RunsMetadata {
  const read = (field: string) => readField(metadata, 'runs', field)
  const fields: RunsMetadata = keepValid(RunsMetadata.def.shape, read)
  if (fields.record === undefined && read('record') !== undefined) fields.record = 'none'
  return fields
}
