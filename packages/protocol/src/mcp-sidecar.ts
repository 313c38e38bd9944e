import { z } from 'zod'
import { isRecord, readOwn } from './json.ts'

/** Whom an MCP call is made for, as the bridge claims it. There is never a token in it. */
export const McpPrincipal = z.looseObject({
  /** The same for the same caller, also with another token: `token:NAME`, `jwt:HASH:SUBJECT`, `anonymous`, `local`, `bus`. */
  id: z.string().min(1),
  /** How it said who it is: `token`, `jwt`, `anonymous`, `stdio`, `bus`. */
  method: z.string().min(1),
  issuer: z.string().optional(),
  subject: z.string().optional(),
  /** Those of its token, and those that the bridge gives it; one that ends in `*` stands for all that begin so. */
  scopes: z.array(z.string()),
  /** Claims of its token that the operator of the bridge hands on. */
  claims: z.record(z.string(), z.unknown()).optional(),
})
export type McpPrincipal = z.infer<typeof McpPrincipal>

/**
 * What the bridge says about an MCP call beside its payload, as `mcp` in the invocation's metadata. The registry passes it on to
 * prompt handlers and sections.
 */
export const McpSidecar = z.looseObject({
  /** Names this call in everything the function sends while it runs. */
  call_id: z.string().min(1),
  /** Prefix of the functions that reach this call's bridge: `VIA::progress`, `VIA::log`, `VIA::close-stream`, `VIA::visible`. */
  via: z.string().min(1),
  /** The namespace of the engine that these are in, where that is another than the function's own. */
  via_namespace: z.string().min(1).optional(),
  /** Who asks: the client's own name and version. */
  client: z.looseObject({ name: z.string().optional(), version: z.string().optional() }).optional(),
  /**
   * Who asks, where the bridge asks for tokens: what it found out about the caller. It is a claim and proves nothing by itself, for any
   * worker on the engine can write one; it is as good as the rules that keep strangers off the engine.
   */
  principal: McpPrincipal.optional(),
  /** What the client can be asked, as it declared it (`elicitation`, `sampling`, `roots`, …). */
  client_capabilities: z.record(z.string(), z.unknown()).optional(),
  /** What the client put into `_meta` of its request, without what MCP keeps there for itself. */
  meta: z.record(z.string(), z.unknown()).optional(),
  /** The client wants to hear of progress. */
  progress: z.boolean().optional(),
  /** Answers to an earlier {@link InputRequired}, by the keys of its `input_requests`. */
  input_responses: z.record(z.string(), z.unknown()).optional(),
  /** What the function gave as `request_state` with its questions. */
  request_state: z.string().optional(),
  /** The address that is read. */
  uri: z.string().optional(),
  /** What the variables of the address template stand for. */
  variables: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  /** So much of its result the client is shown, in bytes; told to `skill::fetch`, which leaves out whole texts before it comes to that. */
  max_result_bytes: z.int().positive().optional(),
  /** Beginnings of the ids of skills that the client may read, by whole segments; told to the skills registry, without it all. */
  skills: z.array(z.string()).optional(),
  /** The call is a task: a function that keeps its results writes a `TaskResult` to this scope of the engine's state, under this id. */
  task: z.object({ id: z.string().min(1), scope: z.string().min(1) }).optional(),
})
export type McpSidecar = z.infer<typeof McpSidecar>

/**
 * Reads the sidecar from the metadata of an invocation.
 *
 * @returns undefined when the call did not come through a bridge, or what is there is malformed.
 *
 * @example
 * readMcpSidecar({ mcp: { call_id: 'c1', via: 'mcp::b1' } }) // { call_id: 'c1', via: 'mcp::b1' }
 */
export function readMcpSidecar(metadata: unknown): McpSidecar | undefined {
  if (!isRecord(metadata)) return undefined
  const parsed = McpSidecar.safeParse(readOwn(metadata, 'mcp'))
  return parsed.success ? parsed.data : undefined
}

/** What a function returns to have the client asked; it is invoked again with the answers as `input_responses`. */
export const InputRequired = z.object({
  result_type: z.literal('input_required'),
  /** MCP requests (`elicitation/create`, `sampling/createMessage`, `roots/list`) by keys of the function's choice. */
  input_requests: z
    .record(z.string(), z.looseObject({ method: z.string(), params: z.record(z.string(), z.unknown()).optional() }))
    .default({}),
  /** Comes back unchanged with the answers. */
  request_state: z.string().optional(),
})
export type InputRequired = z.infer<typeof InputRequired>

/** What a tool returns to have its call answered with an error of the protocol, and not with a result that says so. */
export const ProtocolError = z.object({
  result_type: z.literal('protocol_error'),
  /** A JSON-RPC error code. */
  code: z.int(),
  message: z.string(),
  data: z.unknown().optional(),
})
export type ProtocolError = z.infer<typeof ProtocolError>
