import { z } from 'zod'

/** What a function says to the bridge of its call while it runs, and what anybody may announce to all bridges of an engine. */

/** The levels of MCP log messages (RFC 5424), the least urgent first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The `call_id` of the sidecar. */
const call_id = z.string().min(1).max(128)

/** The payload of `VIA::progress`: how far a call is. `progress` grows with each message, `total` may be unknown. */
export const ProgressReport = z.object({
  call_id,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
})
export type ProgressReport = z.infer<typeof ProgressReport>

/** The payload of `VIA::log`: a log message for the client of a call. `data` is any JSON. */
export const LogMessage = z.object({
  call_id,
  level: z.enum(LOG_LEVELS),
  data: z.unknown(),
  logger: z.string().optional(),
})
export type LogMessage = z.infer<typeof LogMessage>

/** The payload of `VIA::close-stream`: ends the reply's stream, so that the client comes back for the rest. */
export const CloseStream = z.object({ call_id })
export type CloseStream = z.infer<typeof CloseStream>

/** What all three answer: whether the call is still there and its client could be told. */
export const Delivery = z.object({ delivered: z.boolean() })
export type Delivery = z.infer<typeof Delivery>

/** The ids of these under the prefix `via` of a call's sidecar, and of the one that tells what its client may see. */
export function toViaIds(via: string): Readonly<Record<'progress' | 'log' | 'closeStream' | 'visible', string>> {
  return {
    progress: `${via}::progress`,
    log: `${via}::log`,
    closeStream: `${via}::close-stream`,
    visible: `${via}::visible`,
  }
}

/** How the ids begin under which workers on `@iii/sdk` hear that calls of theirs were cancelled: internal functions that bridges call. */
export const CANCEL_DESK_PREFIX = 'mcp-cancel::'

/** Id of the function that announces a change to the MCP clients of every bridge on the engine. */
export const MCP_CHANGED = 'mcp::changed'

/** The payload of {@link MCP_CHANGED}: a hint to list again, or to read one resource again. */
export const McpChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['tools', 'prompts', 'resources']) }),
  z.object({ kind: z.literal('resource'), uri: z.string().min(1).max(4_096) }),
])
export type McpChange = z.infer<typeof McpChange>

/** What a bridge tells the function that completes arguments (`mcp.complete`). */
export const CompletionRequest = z.object({
  /** What the argument belongs to: a prompt by name, or a resource template by its `uriTemplate`. */
  ref: z.union([
    z.object({ type: z.literal('ref/prompt'), name: z.string() }),
    z.object({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  /** What was typed so far. */
  argument: z.object({ name: z.string(), value: z.string() }),
  /** Other arguments that are known already. */
  context: z.object({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
})
export type CompletionRequest = z.infer<typeof CompletionRequest>

/** What it answers: the values alone, or with how many there are in all. */
export const CompletionAnswer = z.union([
  z.array(z.string()),
  z.object({
    values: z.array(z.string()),
    total: z.int().nonnegative().nullish(),
    has_more: z.boolean().nullish(),
    /** The same, as MCP spells it. */
    hasMore: z.boolean().nullish(),
  }),
])
export type CompletionAnswer = z.infer<typeof CompletionAnswer>

/** Where a function that keeps the results of its tasks (`mcp.keeps_result`) writes them: a row under the task's id. */
export const TaskResult = z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })])
export type TaskResult = z.infer<typeof TaskResult>
