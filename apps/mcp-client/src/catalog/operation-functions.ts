import { toCallTimeout } from '../configuration/call-timeout.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import type { ServerSession } from '../session/session.ts'
import type { ToolFunction } from './received-tool.ts'

/** What agents may ask of a server beside its tools, each time on purpose. */
export type ServerOperation = 'resources-list' | 'resources-read' | 'prompts-list' | 'prompts-get'

interface Shape {
  readonly capability: 'resources' | 'prompts'
  readonly title: string
  readonly description: string
  /** So many lists are read for it, one after the other. */
  readonly lists?: number
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

const SHAPES: Readonly<Record<ServerOperation, Shape>> = {
  'resources-list': {
    capability: 'resources',
    title: 'list resources',
    description: 'Lists the resources and the resource templates of this MCP server.',
    lists: 2,
  },
  'resources-read': {
    capability: 'resources',
    title: 'read a resource',
    description: 'Reads a resource of this MCP server.',
    properties: {
      uri: { type: 'string', description: 'As the list has it, or made from a template', maxLength: 4096 },
    },
    required: ['uri'],
  },
  'prompts-list': {
    capability: 'prompts',
    title: 'list prompts',
    description: 'Lists the prompts of this MCP server.',
    lists: 1,
  },
  'prompts-get': {
    capability: 'prompts',
    title: 'get a prompt',
    description: 'Gets the messages of a prompt of this MCP server.',
    properties: {
      name: { type: 'string', description: 'As the list has it', maxLength: 1024 },
      arguments: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['name'],
  },
}

/** What a server has to be able to do for an operation; undefined for what is none. */
export function findCapability(operation: string): Shape['capability'] | undefined {
  return Object.hasOwn(SHAPES, operation) ? SHAPES[operation as ServerOperation].capability : undefined
}

/** The key in the metadata of such a function that says which it is. */
export const OPERATION_KEY = 'mcp_client.operation'

/** The functions for what this server can do, where its configuration asks for them. Nothing in them is the server's. */
export function toOperations(config: ServerConfig, { has }: Pick<ServerSession, 'has'>): ToolFunction[] {
  if (!config.operations) return []
  const { name, expose, tier, timeouts } = config
  return Object.entries(SHAPES).flatMap(
    ([operation, { capability, title, description, lists, properties = {}, required = [] }]) => {
      if (!has(capability)) return []
      const metadata = {
        'mcp.title': `${name}: ${title}`,
        ...(expose === undefined ? {} : { 'mcp.expose': expose }),
        ...(tier === undefined ? {} : { 'mcp.tier': tier }),
        'runs.record': 'digest',
        'mcp_client.server': name,
        [OPERATION_KEY]: operation,
      }
      const request_format = { type: 'object', properties, required, additionalProperties: false }
      return [
        {
          tool: '',
          id: `${name}::mcp::${operation}`,
          description,
          request_format,
          response_format: undefined,
          metadata,
          timeoutMs: toCallTimeout(config, lists && lists * timeouts.listMs),
        },
      ]
    },
  )
}
