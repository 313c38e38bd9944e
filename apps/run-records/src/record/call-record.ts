import { z } from 'zod'
import { Payload } from './payload.ts'
import { Client } from './run-record.ts'

/** What became of a call over MCP. */
export const Outcome = z.enum(['ok', 'error', 'refused', 'given_up', 'input_required', 'task'])

/** A call over MCP that somebody else made and a bridge told of. */
export const CallRecord = z.object({
  kind: z.literal('call'),
  /** The id that the bridge gave it. */
  id: z.string(),
  tool: z.string().optional(),
  function_id: z.string(),
  client: Client.optional(),
  session: z.string().optional(),
  principal: z.string().optional(),
  started_at: z.iso.datetime(),
  duration_ms: z.number().nonnegative(),
  outcome: Outcome,
  code: z.string().optional(),
  bytes_in: z.int().nonnegative().optional(),
  bytes_out: z.int().nonnegative().optional(),
  input: Payload.optional(),
})
export type CallRecord = z.infer<typeof CallRecord>

/** Calls that a bridge made and could not tell of. */
export const CallGap = z.object({
  kind: z.literal('gap'),
  /** How many. */
  missed: z.int().positive(),
  /** When it was heard of. */
  at: z.iso.datetime(),
})
export type CallGap = z.infer<typeof CallGap>
