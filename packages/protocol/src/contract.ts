import { z } from 'zod'

/**
 * A function on the engine as its callers see it: what `serveContract` of `@iii/sdk` registers, and what both sides check payloads
 * against.
 */
export interface FunctionContract<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** The id on the engine. */
  readonly id: string
  readonly description: string
  /** The payload. */
  readonly request: I
  /** What a call resolves to. */
  readonly response: O
  /** What becomes of keys of a payload that `request` does not have. @default 'refuse' */
  readonly unknownKeys?: 'refuse' | 'ignore'
  /** Registration metadata. */
  readonly metadata?: Record<string, unknown>
}

/**
 * States a contract and keeps the types of its two schemas.
 *
 * @example
 * defineContract({ id: 'orders::get', description: 'One order.', request: z.object({ id: z.string() }), response: Order }).id
 * // 'orders::get'
 */
export function defineContract<I extends z.ZodType, O extends z.ZodType>(
  contract: FunctionContract<I, O>,
): FunctionContract<I, O> {
  return contract
}

/** States a contract whose callers may send more than it takes: what is unknown is dropped, as the iii skills worker does it. */
export function defineLenientContract<I extends z.ZodType, O extends z.ZodType>(
  contract: FunctionContract<I, O>,
): FunctionContract<I, O> {
  return defineContract({ ...contract, unknownKeys: 'ignore' })
}

/** How many entries a list leaves out because they do not fit into one message; absent when it is whole. */
export const leftOut = z.int().positive().optional()
