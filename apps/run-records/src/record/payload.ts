import { checkDepth } from '@iii/protocol'
import { z } from 'zod'

/** Levels of a value that is kept: the engine reads 126, and some of them lie around it in rows and answers. */
const MAX_KEPT_DEPTH = 100

/**
 * Whether so many levels of a value lie in each other that no record has room for it.
 *
 * @returns what is wrong with it; undefined for one that can be kept
 */
export function explainDepth(value: unknown): string | undefined {
  return checkDepth(value, { maxDepth: MAX_KEPT_DEPTH, maxNodes: Number.POSITIVE_INFINITY })
}

/**
 * An input or an output as a record keeps it: the value with its secrets taken out, or what is left where it may not or cannot be kept.
 * The digest is an HMAC with a key of this store, so that equal values are known as equal and nothing else is.
 */
export const Payload = z.object({
  /** What is left of it after redaction. Absent when it is not kept: see `omitted`. */
  value: z.unknown().optional(),
  /** Of the whole value as it was; absent where nothing at all may be kept. */
  digest: z.string().optional(),
  /** Size of the whole value as JSON. */
  bytes: z.int().nonnegative().optional(),
  /** JSON pointers of what was taken out: the first of them, at most a hundred and 4 KiB; of the whole where none is so short. */
  redacted: z.array(z.string()).optional(),
  /** Why there is no value: the function asked for it, or it is larger, or nested deeper, than records may be. */
  omitted: z.enum(['none', 'digest', 'too_large']).optional(),
})
export type Payload = z.infer<typeof Payload>
