import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '@iii/protocol'

/** How much a search tells of each tool that it finds. */
export const DETAILS = ['names', 'brief', 'full'] as const
export type Detail = (typeof DETAILS)[number]

export const MAX_QUERIES = 5
export const MAX_FOUND = 20
export const DEFAULT_FOUND = 5

const text = (description: string) => ({ type: 'string', description })

const SEARCH_TOOL = {
  name: SEARCH_TOOL_NAME,
  description:
    'Find tools. This server has more tools than its list shows: say in a few words what you want to do, and get the tools that do it, the best first, with their descriptions and arguments. Call what you found with call_tool.',
  inputSchema: {
    type: 'object',
    properties: {
      query: text('What the tool shall do, for example: refund a payment'),
      queries: { type: 'array', items: { type: 'string' }, maxItems: MAX_QUERIES, description: 'Several at once' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_FOUND,
        default: DEFAULT_FOUND,
        description: 'How many tools at the most',
      },
      detail: {
        type: 'string',
        enum: DETAILS,
        default: 'full',
        description: 'names; brief: with descriptions; full: also with the arguments of the best five',
      },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** It can end in any tool, so that it says the worst of itself that one may say. */
const CALL_TOOL = {
  name: CALL_TOOL_NAME,
  description:
    'Call a tool that search_tools has found. The result is that of the tool; what it does to the world is in its annotations.',
  inputSchema: {
    type: 'object',
    properties: {
      name: text('The name of the tool, as search_tools tells it'),
      arguments: { type: 'object', description: "What the tool's inputSchema asks for" },
    },
    required: ['name'],
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
}

/** The rows of both, as they stand in `tools/list`. */
export const SEARCH_ROWS: readonly string[] = [SEARCH_TOOL, CALL_TOOL].map((row) => JSON.stringify(row))
