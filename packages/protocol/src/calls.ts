import { z } from 'zod'

/** What MCP clients have called, as the bridges tell it, and what may be asked about a call while it runs. */

const CALL_KINDS = ['tool', 'section', 'prompt', 'task', 'auth'] as const
const CALL_DECISIONS = ['allow', 'hidden', 'limit', 'auth'] as const
/** Whole, or a beginning with `*` behind it. */
const words = z.array(z.string().min(1).max(256)).min(1).max(64)

/** The `config` of a binding to `MCP_ON_CALL`. Of several filters all have to fit; a mistyped one would tell more than was asked for. */
export const McpCallConfig = z.strictObject({
  /** Records carry what the functions were called with, secrets taken out. @default false */
  inputs: z.boolean().optional(),
  kinds: z.array(z.enum(CALL_KINDS)).min(1).optional(),
  decisions: z.array(z.enum(CALL_DECISIONS)).min(1).optional(),
  principals: words.optional(),
  functions: words.optional(),
})
export type McpCallConfig = z.infer<typeof McpCallConfig>

/** How a call ended. */
export const CALL_OUTCOMES = ['ok', 'error', 'refused', 'given_up', 'input_required', 'task'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

const count = z.int().nonnegative()

/** One call that is over. Readers ignore fields that they do not know; a field that changes its meaning changes `version`. */
export const McpCallRecord = z.looseObject({
  version: z.literal(1),
  /** The `call_id` that the function saw in its sidecar; one of its own for a call that reached none. */
  call_id: z.string().min(1).max(128),
  /**
   * What was asked for: a tool, a section or another resource of a function, a prompt; `task` is the end of a task; with `auth` somebody was not
   * let in, and what they asked for is not known.
   */
  kind: z.enum(CALL_KINDS),
  /** Names the session and says nothing of its id; absent where the client has none. */
  session: z.string().min(1).max(128).optional(),
  /** Who it was, where clients have to say so. */
  principal: z.string().min(1).max(256).optional(),
  /** How they said so, and whose token it was. */
  auth: z.string().optional(),
  issuer: z.string().optional(),
  /** Which kind of revision of MCP: with sessions, or 2026-07-28 and later; `plain` is a message without either. Absent where nobody was let in. */
  era: z.string().optional(),
  /** How often, where it is more than once: what somebody is denied again and again is told together. */
  count: z.int().positive().optional(),
  /** The trace that it belongs to (W3C Trace Context), where the bridge has telemetry on. */
  trace_id: z.string().length(32).optional(),
  /** What the client calls itself. */
  client: z.object({ name: z.string(), version: z.string() }).optional(),
  /** The name of the tool or prompt, or the address, as the client said it. */
  tool: z.string(),
  /** The function behind it; absent where there is none. */
  function_id: z.string().optional(),
  /** Where that is; absent for `default`. */
  namespace: z.string().optional(),
  started_at: z.iso.datetime(),
  ms: count,
  /** Nothing stood against it, the function is hidden from whoever asks, they asked too often, or were not let in or listened to; absent where it led to nothing. */
  decision: z.enum(CALL_DECISIONS).optional(),
  outcome: z.enum(CALL_OUTCOMES),
  /** Why it failed or was refused: a fault's code, the gate's reason, or the number of a JSON-RPC error. */
  code: z.string().max(64).optional(),
  /** Bytes of the arguments as JSON. */
  bytes_in: count,
  /** Bytes of the result as it went out. */
  bytes_out: count,
  /** The arguments without secrets; absent unless the binding asks for inputs, and where the function wants none kept. */
  input: z.unknown().optional(),
})
export type McpCallRecord = z.infer<typeof McpCallRecord>

/** Calls that nobody is told of, because too many waited. */
export const McpCallGap = z.object({
  dropped: z.int().positive(),
  /** When the first and the last of them were over. */
  since: z.iso.datetime(),
  until: z.iso.datetime(),
})
export type McpCallGap = z.infer<typeof McpCallGap>

/** The event of `MCP_ON_CALL`. */
export const McpCallBatch = z.looseObject({
  version: z.literal(1),
  /** The prefix of the process that tells it; the sidecar's `via` of these calls. */
  via: z.string().min(1),
  /** In the order in which they ended. */
  calls: z.array(McpCallRecord).max(100),
  /** What is missing since the batch before. */
  gap: McpCallGap.optional(),
})
export type McpCallBatch = z.infer<typeof McpCallBatch>

/** How many ids {@link VisibleRequest} may hold. */
export const MAX_VISIBLE_IDS = 5_000

/** The payload of `VIA::visible`: which of these functions may the client of a call see? */
export const VisibleRequest = z.object({
  call_id: z.string().min(1).max(128),
  function_ids: z.array(z.string().min(1).max(1_024)).max(MAX_VISIBLE_IDS),
})
export type VisibleRequest = z.infer<typeof VisibleRequest>

/** What it answers, in the order of the question; nothing for a call that is over, or was never there. */
export const VisibleAnswer = z.object({
  visible: z.array(z.string()),
  /** Whose call it is, as in {@link McpCallRecord}. */
  session: McpCallRecord.shape.session,
  principal: McpCallRecord.shape.principal,
  /** Whose runs and calls it may be told of, where clients have to say who they are. */
  runs: z.enum(['own', 'all']).optional(),
  /** So much of a result the client is shown, in bytes of text and data together. */
  max_result_bytes: z.int().positive().optional(),
})
export type VisibleAnswer = z.infer<typeof VisibleAnswer>
