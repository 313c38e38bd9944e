import { z } from 'zod'
import { keepValid, MAX_TIMEOUT_MS, readField } from './metadata-fields.ts'
import { isRecord, readOwn } from './record.ts'
import { utf8Length } from './utf8.ts'

/** The longest `refusal`, in UTF-8 bytes. */
const MAX_REFUSAL_BYTES = 200

const annotations = {
  /** The function changes nothing. */
  readOnlyHint: z.boolean(),
  /** What it changes may be lost. */
  destructiveHint: z.boolean(),
  /** Calling it again with the same input changes nothing more. */
  idempotentHint: z.boolean(),
  /** It reaches things outside the engine. */
  openWorldHint: z.boolean(),
}

/** An icon a client may show beside a tool (MCP `Icon`): an http(s) address or a `data:image/…` one. */
export const McpIcon = z.object({
  src: z.string().regex(/^(?:https?:\/\/|data:image\/)/, 'must be an http(s) address or data:image/…'),
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
})
export type McpIcon = z.infer<typeof McpIcon>

const resourceFacts = {
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
}

/**
 * What a function may say about itself in its registration metadata for clients of the MCP bridge, under `mcp: { … }` or flat
 * as `"mcp.…"`. Every field is optional.
 */
export const McpMetadata = z
  .object({
    /** `false` hides the function from clients always; `true` shows it where exposure has to be asked for. */
    expose: z.boolean(),
    /** What a client reads that calls it all the same, where `expose` is `false`: why, and what would be right. */
    refusal: z.string().refine((text) => text.trim() !== '' && utf8Length(text) <= MAX_REFUSAL_BYTES),
    /** The tier it belongs to: a bridge with a tier shows only functions of the same one. */
    tier: z.string(),
    /** The tool's title. */
    title: z.string(),
    icons: z.array(McpIcon),
    annotations: z.object(annotations).partial(),
    /** How long a call may take, in milliseconds. */
    timeout_ms: z.int().positive().max(MAX_TIMEOUT_MS),
    /** Whether the tool may or must be called as a task. */
    task: z.enum(['optional', 'required']),
    /** What it asks the client comes before there is a task: with the answers of the first round the task begins. */
    asks_first: z.boolean(),
    /** The function writes the result of a task to the engine's state itself, so that it outlives the bridge. */
    keeps_result: z.boolean(),
    /** The function renders this resource. */
    resource: z.object({ uri: z.string().min(1), ...resourceFacts }),
    /** The function renders every resource whose address fits this RFC 6570 template. */
    template: z.object({ uriTemplate: z.string().min(1), ...resourceFacts }),
    /** Id of a function that completes the arguments of this one. */
    complete: z.string().min(1),
    /** Id of a function that is told `{ call_id }` when a call is cancelled. */
    cancel: z.string().min(1),
  })
  .partial()
export type McpMetadata = z.infer<typeof McpMetadata>

/**
 * Reads the `mcp` metadata of a function in both spellings; the flat one (`"mcp.tier"`) wins over the nested one (`mcp: { tier }`)
 * field by field. A malformed field is left out, and a malformed hint of `annotations` alone; nothing is ever an error, for any
 * worker writes this.
 *
 * @example
 * readMcpMetadata({ 'mcp.tier': 'ops', mcp: { tier: 'dev', title: 'Refund', timeout_ms: -1 } }) // { tier: 'ops', title: 'Refund' }
 */
export function readMcpMetadata(metadata: unknown): McpMetadata {
  const { annotations: _, ...fields } = McpMetadata.def.shape
  const read: McpMetadata = keepValid(fields, (field) => readMcpField(metadata, field))
  const hints = readMcpField(metadata, 'annotations')
  if (isRecord(hints)) read.annotations = keepValid(annotations, (hint) => readOwn(hints, hint))
  return read
}

/** One field of the `mcp` metadata as it was written, unchecked. */
export function readMcpField(metadata: unknown, field: string): unknown {
  return readField(metadata, 'mcp', field)
}
