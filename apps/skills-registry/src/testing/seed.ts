/** The API reference of skills 0.2.2: what every caller of this worker may rely on. */

/** A field of a payload. */
export interface SeedField {
  types: string[]
  items?: string | Record<string, SeedField>
  description?: string
  default?: unknown
  required?: true
}

/** A function: its description, and the fields of its payload. */
export interface SeedFunction {
  name: string
  description: string
  request: Record<string, SeedField>
}

/** Two functions have it. */
const FETCH_DESCRIPTION =
  'Fetches the content of one or more skill resources identified by iii:// or skill:// URIs. When you encounter iii:// or skill:// links in skill instructions, use this tool to retrieve their contents (batch with `uris` when helpful).'
const FETCH_REQUEST: SeedFunction['request'] = {
  uri: {
    types: ['null', 'string'],
    description: 'A single URI to read. Must start with "iii://" or "skill://"; "skill://" alone lists all skills.',
    default: null,
  },
  uris: {
    types: ['array', 'null'],
    items: 'string',
    description: 'Multiple iii:// or skill:// URIs to read and concatenate into one response.',
    default: null,
  },
}

/**
 * Where the reference contradicts itself (64 characters for an id, or for each segment) the longer form stands here. What is fetched has
 * `skill://` addresses too, of which the reference knows nothing.
 */
export const seedFunctions: SeedFunction[] = [
  {
    name: 'prompts::list',
    description: 'List registered prompts (name, function_id, arg count, registered_at).',
    request: {},
  },
  {
    name: 'prompts::mcp-get',
    description: 'Internal: dispatches a registered prompt handler and normalizes the result for MCP prompts/get.',
    request: {
      arguments: {
        types: [],
        default: null,
      },
      name: {
        types: ['string'],
        required: true,
      },
    },
  },
  {
    name: 'prompts::mcp-list',
    description: 'Internal: returns the MCP prompts/list envelope (full arguments schema for each registered prompt).',
    request: {},
  },
  {
    name: 'prompts::register',
    description: 'Register a slash-command prompt; clients call prompts/get to render it.',
    request: {
      arguments: {
        types: ['array'],
        items: {
          description: {
            types: ['null', 'string'],
          },
          name: {
            types: ['string'],
            required: true,
          },
          required: {
            types: ['boolean'],
            default: false,
          },
        },
        default: [],
      },
      description: {
        types: ['string'],
        description: "Free-text description shown in the client's prompt picker.",
        required: true,
      },
      function_id: {
        types: ['string'],
        description: 'Handler function called on prompts/get with the supplied arguments.',
        required: true,
      },
      name: {
        types: ['string'],
        description: 'Unique prompt name (lowercase ASCII, kebab/underscore, max 64 chars).',
        required: true,
      },
    },
  },
  {
    name: 'prompts::unregister',
    description: 'Remove a registered prompt by name.',
    request: {
      name: {
        types: ['string'],
        required: true,
      },
    },
  },
  {
    name: 'skill::fetch',
    description: FETCH_DESCRIPTION,
    request: FETCH_REQUEST,
  },
  {
    name: 'skills::fetch_skill',
    description: FETCH_DESCRIPTION,
    request: FETCH_REQUEST,
  },
  {
    name: 'skills::list',
    description: 'List registered skills (id, body length, registered_at) without bodies.',
    request: {},
  },
  {
    name: 'skills::register',
    description: 'Register a markdown skill so it appears as iii://{id} in resources/list.',
    request: {
      id: {
        types: ['string'],
        description:
          "Unique skill id: segments of lowercase ASCII letters, digits, '-' and '_', joined by '/' (max 64 per segment, 1024 in all).",
        required: true,
      },
      skill: {
        types: ['string'],
        description: 'Markdown body served at iii://{id}.',
        required: true,
      },
    },
  },
  {
    name: 'skills::resources-list',
    description:
      'Internal: returns the MCP resources/list envelope with the iii://skills index + one iii://{id} entry per registered skill.',
    request: {},
  },
  {
    name: 'skills::resources-read',
    description: 'Internal: resolves an iii:// URI and returns the MCP resources/read contents envelope.',
    request: {
      uri: {
        types: ['string'],
        required: true,
      },
    },
  },
  {
    name: 'skills::resources-templates',
    description: 'Internal: returns the MCP resources/templates/list envelope.',
    request: {},
  },
  {
    name: 'skills::unregister',
    description: 'Remove a registered skill by id.',
    request: {
      id: {
        types: ['string'],
        required: true,
      },
    },
  },
]

export const seedTriggers = [
  {
    name: 'prompts::on-change',
    description: 'Fires after any mutation of the prompts registry (register / unregister).',
  },
  {
    name: 'skills::on-change',
    description: 'Fires after any mutation of the skills registry (register / unregister).',
  },
]
