import { z } from 'zod'
import { checkSkillId } from './ids.ts'
import { isRecord, readOwn } from './json.ts'
import { utf8Length } from './utf8.ts'

/** The longest `timeout_ms`: a timer that is set to more fires at once (2^31 − 1 ms). */
export const MAX_TIMEOUT_MS = 2_147_483_647

/** The key in the metadata of every registration that tells which process made it. */
export const INSTANCE_KEY = 'iii.instance'

/** Which process made a registration; undefined for one that no worker on `@iii/sdk` made. */
export function readInstance(metadata: unknown): string | undefined {
  const instance = isRecord(metadata) ? readOwn(metadata, INSTANCE_KEY) : undefined
  return typeof instance === 'string' && instance !== '' ? instance : undefined
}

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
    /** Scopes that a caller needs, all of them, where the bridge asks for tokens; a list that cannot be read hides the function from all who have one. */
    scopes: z.array(z.string().min(1)),
    /** The tool's title. */
    title: z.string(),
    icons: z.array(McpIcon),
    /** Where a list does not show all tools, it shows this one all the same. */
    pin: z.boolean(),
    /** Id of the skill that says how the tool is used. */
    skill: z.string().refine((id) => checkSkillId(id) === undefined),
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

/**
 * One field of a function's registration metadata as it was written, unchecked: flat (`"mcp.tier"`) before nested (`mcp: { tier }`).
 * `null` counts as absent (it is how some languages write it).
 */
function readField(metadata: unknown, room: string, field: string): unknown {
  if (!isRecord(metadata)) return undefined
  const flat = readOwn(metadata, `${room}.${field}`)
  if (flat !== undefined && flat !== null) return flat
  const nested = readOwn(metadata, room)
  return isRecord(nested) ? (readOwn(nested, field) ?? undefined) : undefined
}

/** Keeps of an object what its schema accepts, field by field. */
function keepValid(
  shape: Readonly<Record<string, z.ZodType>>,
  read: (field: string) => unknown,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [field, schema] of Object.entries(shape)) {
    const value = read(field)
    // Most say little of themselves, and who reads a list of functions reads thousands. Of a list of a hundred thousand a schema
    // takes seconds to say what is wrong with each entry.
    const parsed =
      value === undefined || (Array.isArray(value) && value.length > 1_000) ? undefined : schema.safeParse(value)
    if (parsed?.success) kept[field] = parsed.data
  }
  return kept
}
