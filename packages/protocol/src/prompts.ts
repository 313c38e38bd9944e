import { z } from 'zod'
import { PromptMessage } from './content-block.ts'
import { defineLenientContract, leftOut } from './contract.ts'
import { LeaseFlag } from './lease-flag.ts'

/** An argument that a prompt declares. `required` informs the client only: the handler checks what it needs. */
export const PromptArgument = z.object({
  name: z.string(),
  description: z.string().nullable().optional(),
  required: z.boolean().default(false),
})
export type PromptArgument = z.infer<typeof PromptArgument>

/** A prompt as it is stored, under its name, in the scope of prompts. */
export const PromptRow = z.object({
  name: z.string(),
  description: z.string(),
  arguments: z.array(PromptArgument),
  function_id: z.string(),
  /** Where that is, if not where the registry is: the worker is there that registered the prompt. */
  namespace: z.string().optional(),
  /** Name of the worker that it lives as long as; absent where it stays. */
  lease: z.string().optional(),
  /** RFC 3339, UTC. */
  registered_at: z.string(),
})
export type PromptRow = z.infer<typeof PromptRow>

/** A row of `prompts::list`; `arguments` is their number. */
export const PromptEntry = z.object({
  name: z.string(),
  function_id: z.string(),
  /** Where that is, if not where the registry is. */
  namespace: z.string().optional(),
  arguments: z.int().nonnegative(),
  registered_at: z.string(),
  /** Name of the worker that registered it. */
  owner: z.string().optional(),
  /** Name of the worker that it is away with, and in no other list. */
  away: z.string().optional(),
})
export type PromptEntry = z.infer<typeof PromptEntry>

/** A row of MCP `prompts/list`. */
export const McpPrompt = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
    .optional(),
})
export type McpPrompt = z.infer<typeof McpPrompt>

/** The result of MCP `prompts/get`. */
export const GetPromptResult = z.looseObject({
  description: z.string().optional(),
  messages: z.array(PromptMessage),
})
export type GetPromptResult = z.infer<typeof GetPromptResult>

/** The payload of `prompts::register`; {@link checkPromptName} and its neighbours say what is accepted. */
export const RegisterPromptInput = z.object({
  name: z.string().describe('Unique prompt name (lowercase ASCII, kebab/underscore, max 64 chars).'),
  description: z.string().describe("Free-text description shown in the client's prompt picker."),
  arguments: z.array(PromptArgument).default([]),
  function_id: z.string().describe('Handler function called on prompts/get with the supplied arguments.'),
  lease: LeaseFlag,
})
/** What a registration holds once the defaults are in. */
export type RegisterPromptInput = z.infer<typeof RegisterPromptInput>
/** What a caller has to write. */
export type RegisterPromptPayload = z.input<typeof RegisterPromptInput>

/** The payload of `prompts::mcp-get`; the arguments go to the handler as they come. */
export const GetPromptInput = z.object({ name: z.string(), arguments: z.unknown().default(null) })
export type GetPromptInput = z.infer<typeof GetPromptInput>

/**
 * The functions of the prompts registry. Ids, descriptions and requests are those of the iii skills worker 0.2.2.
 *
 * @example
 * promptsFunctions.mcpGet.id // 'prompts::mcp-get'
 */
export const promptsFunctions = {
  register: defineLenientContract({
    id: 'prompts::register',
    description: 'Register a slash-command prompt; clients call prompts/get to render it.',
    request: RegisterPromptInput,
    response: z.object({ name: z.string(), registered_at: z.string() }),
  }),
  unregister: defineLenientContract({
    id: 'prompts::unregister',
    description: 'Remove a registered prompt by name.',
    request: z.object({ name: z.string() }),
    response: z.object({ name: z.string(), removed: z.boolean() }),
  }),
  list: defineLenientContract({
    id: 'prompts::list',
    description: 'List registered prompts (name, function_id, arg count, registered_at).',
    /** With a name that prompt alone, or none; other registries pass the name over and list all. */
    request: z.object({ name: z.string().optional() }),
    response: z.object({ prompts: z.array(PromptEntry), left_out: leftOut }),
  }),
  mcpList: defineLenientContract({
    id: 'prompts::mcp-list',
    description: 'Internal: returns the MCP prompts/list envelope (full arguments schema for each registered prompt).',
    request: z.object({}),
    response: z.object({ prompts: z.array(McpPrompt), left_out: leftOut }),
  }),
  mcpGet: defineLenientContract({
    id: 'prompts::mcp-get',
    description: 'Internal: dispatches a registered prompt handler and normalizes the result for MCP prompts/get.',
    request: GetPromptInput,
    response: GetPromptResult,
  }),
}
