/**
 * The requests of the iii skills worker 0.2.2 as facts: for each function its id, its description, its fields with JSON types, and which
 * are required. Written down apart from the schemas, so that a change of one is seen in the other.
 */
export interface ReferenceField {
  readonly type: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly items?: ReferenceObject | { readonly type: readonly string[] }
}

export interface ReferenceObject {
  readonly fields: Readonly<Record<string, ReferenceField>>
  readonly required: readonly string[]
}

export interface ReferenceFunction extends ReferenceObject {
  readonly description: string
}

const string: ReferenceField = { type: ['string'] }
const nothing: ReferenceObject = { fields: {}, required: [] }
/** The published texts know iii:// alone. */
const fetch: ReferenceFunction = {
  description:
    'Fetches the content of one or more skill resources identified by iii:// or skill:// URIs. When you encounter iii:// or skill:// links in skill instructions, use this tool to retrieve their contents (batch with `uris` when helpful).',
  fields: {
    uri: {
      type: ['null', 'string'],
      default: null,
      description: 'A single URI to read. Must start with "iii://" or "skill://"; "skill://" alone lists all skills.',
    },
    uris: {
      type: ['array', 'null'],
      default: null,
      description: 'Multiple iii:// or skill:// URIs to read and concatenate into one response.',
      items: { type: ['string'] },
    },
  },
  required: [],
}

export const registryReference: Readonly<Record<string, ReferenceFunction>> = {
  'skills::register': {
    description: 'Register a markdown skill so it appears as iii://{id} in resources/list.',
    fields: {
      // The published text says 64 in all, which has been wrong since ids have segments.
      id: {
        ...string,
        description:
          "Unique skill id: segments of lowercase ASCII letters, digits, '-' and '_', joined by '/' (max 64 per segment, 1024 in all).",
      },
      skill: { ...string, description: 'Markdown body served at iii://{id}.' },
    },
    required: ['id', 'skill'],
  },
  'skills::unregister': { description: 'Remove a registered skill by id.', fields: { id: string }, required: ['id'] },
  'skills::list': {
    description: 'List registered skills (id, body length, registered_at) without bodies.',
    ...nothing,
  },
  'skills::resources-list': {
    description:
      'Internal: returns the MCP resources/list envelope with the iii://skills index + one iii://{id} entry per registered skill.',
    ...nothing,
  },
  'skills::resources-read': {
    description: 'Internal: resolves an iii:// URI and returns the MCP resources/read contents envelope.',
    fields: { uri: string },
    required: ['uri'],
  },
  'skills::resources-templates': {
    description: 'Internal: returns the MCP resources/templates/list envelope.',
    ...nothing,
  },
  'skills::fetch_skill': fetch,
  'skill::fetch': fetch,
  'prompts::register': {
    description: 'Register a slash-command prompt; clients call prompts/get to render it.',
    fields: {
      name: { ...string, description: 'Unique prompt name (lowercase ASCII, kebab/underscore, max 64 chars).' },
      description: { ...string, description: "Free-text description shown in the client's prompt picker." },
      arguments: {
        type: ['array'],
        default: [],
        items: {
          fields: {
            name: string,
            description: { type: ['null', 'string'] },
            required: { type: ['boolean'], default: false },
          },
          required: ['name'],
        },
      },
      function_id: {
        ...string,
        description: 'Handler function called on prompts/get with the supplied arguments.',
      },
    },
    required: ['description', 'function_id', 'name'],
  },
  'prompts::unregister': {
    description: 'Remove a registered prompt by name.',
    fields: { name: string },
    required: ['name'],
  },
  'prompts::list': {
    description: 'List registered prompts (name, function_id, arg count, registered_at).',
    ...nothing,
  },
  'prompts::mcp-list': {
    description: 'Internal: returns the MCP prompts/list envelope (full arguments schema for each registered prompt).',
    ...nothing,
  },
  'prompts::mcp-get': {
    description: 'Internal: dispatches a registered prompt handler and normalizes the result for MCP prompts/get.',
    fields: { name: string, arguments: { type: [], default: null } },
    required: ['name'],
  },
}
