import { CALL_OUTCOMES } from '@iii/protocol'
import { z } from 'zod'
import { Payload } from './payload.ts'
import { RecordedClient } from './run-record.ts'

/** A call over MCP that somebody else made and a bridge told of. */
export const CallRecord = z.object({
  kind: z.literal('call'),
  /** The id that the bridge gave it. */
  id: z.string(),
  /** What was asked for: a tool, a section or another resource, a prompt; `task` is the end of a task. */
  asked: z.enum(['tool', 'section', 'prompt', 'task']),
  /** The name of the tool or prompt, or the address, as the client said it. */
  tool: z.string(),
  /** Absent where there is none. */
  function_id: z.string().optional(),
  /** Where that is, if not in the namespace of this worker. */
  namespace: z.string().optional(),
  client: RecordedClient.optional(),
  session: z.string().optional(),
  principal: z.string().optional(),
  started_at: z.iso.datetime(),
  duration_ms: z.number().nonnegative(),
  outcome: z.enum(CALL_OUTCOMES),
  code: z.string().optional(),
  bytes_in: z.int().nonnegative().optional(),
  bytes_out: z.int().nonnegative().optional(),
  input: Payload.optional(),
})
export type CallRecord = z.infer<typeof CallRecord>

/** The function of a call, where it can be a task of this worker: one of another namespace is another function, whatever its id. */
export function ownFunctionOf(call: Pick<CallRecord, 'function_id' | 'namespace'>): string | undefined {
  return call.namespace === undefined ? call.function_id : undefined
}

/** Calls that a bridge made and could not tell of. */
export const CallGap = z.object({
  kind: z.literal('gap'),
  /** How many. */
  missed: z.int().positive(),
  /** When it was heard of. */
  at: z.iso.datetime(),
})
export type CallGap = z.infer<typeof CallGap>
