import { z } from 'zod'
import { Base64 } from './content-block.ts'
import { defineLenientContract, leftOut } from './contract.ts'
import { LeaseFlag } from './lease-flag.ts'
import { SkillFile, SkillFileFact } from './skill-files.ts'

/** A skill as it is stored, under its id, in the scope of skills. */
export const SkillRow = z.object({
  id: z.string(),
  /** The markdown body. */
  skill: z.string(),
  /** What is known of its files, whose contents lie in a scope of their own; absent where it has none. */
  files: z.array(SkillFileFact).optional(),
  /** Name of the worker that it lives as long as; absent where it stays. */
  lease: z.string().optional(),
  /** RFC 3339, UTC. */
  registered_at: z.string(),
})
export type SkillRow = z.infer<typeof SkillRow>

/**
 * A row of `skills::list`; `bytes` is the UTF-8 length of the body, `owner` the name of the worker that registered it, `files` how many
 * files the skill has beside its body.
 */
export const SkillEntry = z.object({
  id: z.string(),
  bytes: z.int().nonnegative(),
  registered_at: z.string(),
  owner: z.string().optional(),
  files: z.int().positive().optional(),
  /** Name of the worker that it is away with, and in no other list. */
  away: z.string().optional(),
})
export type SkillEntry = z.infer<typeof SkillEntry>

/** A row of MCP `resources/list`. */
export const ResourceEntry = z.looseObject({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  /** Id of the skill whose `SKILL.md` it is: its address does not tell. For bridges, which show it to nobody. */
  skill: z.string().optional(),
  /** UTF-8 bytes of the content. */
  size: z.int().nonnegative().optional(),
  annotations: z
    .looseObject({ priority: z.number().min(0).max(1).optional(), lastModified: z.string().optional() })
    .optional(),
})
export type ResourceEntry = z.infer<typeof ResourceEntry>

/** One item of MCP `resources/read`: text, or base64 in `blob`. */
export const ResourceContents = z.union([
  z.looseObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string() }),
  z.looseObject({ uri: z.string(), mimeType: z.string().optional(), blob: Base64 }),
])
export type ResourceContents = z.infer<typeof ResourceContents>

/** A row of MCP `resources/templates/list`; `uriTemplate` is RFC 6570. */
export const ResourceTemplate = z.looseObject({
  uriTemplate: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
})
export type ResourceTemplate = z.infer<typeof ResourceTemplate>

/**
 * The payload of `skills::register`; {@link checkSkillId}, {@link checkSkillBody} and {@link checkSkillFiles} say what is accepted. A
 * registration says all of a skill: without `files` it has none.
 */
export const RegisterSkillInput = z.object({
  id: z
    .string()
    .describe(
      "Unique skill id: segments of lowercase ASCII letters, digits, '-' and '_', joined by '/' (max 64 per segment, 1024 in all).",
    ),
  skill: z.string().describe('Markdown body served at iii://{id}.'),
  files: z
    .array(SkillFile)
    .optional()
    .describe('Files beside its body (max 511, 1 MiB each, 16 MiB in all with it); they replace those it had.'),
  lease: LeaseFlag,
})
export type RegisterSkillInput = z.infer<typeof RegisterSkillInput>

/** The payload of `skill::fetch` and `skills::fetch_skill`; `uris` wins when both are given, whatever `uri` is then. */
export const FetchSkillInput = z.object({
  uri: z
    .string()
    .nullable()
    .default(null)
    .catch(null)
    .describe('A single URI to read. Must start with "iii://" or "skill://"; "skill://" alone lists all skills.'),
  uris: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('Multiple iii:// or skill:// URIs to read and concatenate into one response.'),
})
export type FetchSkillInput = z.infer<typeof FetchSkillInput>

const fetchDescription =
  'Fetches the content of one or more skill resources identified by iii:// or skill:// URIs. When you encounter iii:// or skill:// links in skill instructions, use this tool to retrieve their contents (batch with `uris` when helpful).'

/**
 * The functions of the skills registry. Ids, descriptions and requests are those of the iii skills worker 0.2.2.
 *
 * @example
 * skillsFunctions.register.id // 'skills::register'
 */
export const skillsFunctions = {
  register: defineLenientContract({
    id: 'skills::register',
    description: 'Register a markdown skill so it appears as iii://{id} in resources/list.',
    request: RegisterSkillInput,
    response: z.object({ id: z.string(), registered_at: z.string() }),
  }),
  unregister: defineLenientContract({
    id: 'skills::unregister',
    description: 'Remove a registered skill by id.',
    request: z.object({ id: z.string() }),
    response: z.object({ id: z.string(), removed: z.boolean() }),
  }),
  list: defineLenientContract({
    id: 'skills::list',
    description: 'List registered skills (id, body length, registered_at) without bodies.',
    request: z.object({}),
    response: z.object({ skills: z.array(SkillEntry), left_out: leftOut }),
  }),
  resourcesList: defineLenientContract({
    id: 'skills::resources-list',
    description:
      'Internal: returns the MCP resources/list envelope with the iii://skills index + one iii://{id} entry per registered skill.',
    request: z.object({}),
    response: z.object({ resources: z.array(ResourceEntry), left_out: leftOut }),
  }),
  resourcesRead: defineLenientContract({
    id: 'skills::resources-read',
    description: 'Internal: resolves an iii:// URI and returns the MCP resources/read contents envelope.',
    request: z.object({ uri: z.string() }),
    response: z.object({ contents: z.array(ResourceContents) }),
  }),
  resourcesTemplates: defineLenientContract({
    id: 'skills::resources-templates',
    description: 'Internal: returns the MCP resources/templates/list envelope.',
    request: z.object({}),
    response: z.object({ resourceTemplates: z.array(ResourceTemplate) }),
  }),
  fetchSkill: defineLenientContract({
    id: 'skills::fetch_skill',
    description: fetchDescription,
    request: FetchSkillInput,
    response: z.string(),
  }),
  fetch: defineLenientContract({
    id: 'skill::fetch',
    description: fetchDescription,
    request: FetchSkillInput,
    response: z.string(),
    metadata: {
      'mcp.expose': true,
      'mcp.title': 'Fetch skills',
      // The functions behind sections are called to read, with nothing that could tell them to do something.
      'mcp.annotations': { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  }),
}
