import type { Worker } from '@iii/sdk'
import { z } from 'zod'
import type { Servers } from './servers.ts'

export const STATUS_ID = 'mcp-client::status'
const RESTART_ID = 'mcp-client::restart'
export const OWN_IDS: readonly string[] = [STATUS_ID, RESTART_ID]

const server = z.string().min(1).max(64).describe('The name of a server, as the configuration file has it')
/** Never for MCP clients. */
const metadata = { internal: true, 'mcp.expose': false }

/** What the command line and other workers ask of this one; none of it starts, trusts, approves or changes anything. */
export function serveFunctions(worker: Worker, servers: Servers): void {
  worker.registerFunction(
    STATUS_ID,
    ({ server: name }) => ({ servers: name === undefined ? servers.statuses() : [servers.status(name)] }),
    {
      description: 'Tells what is known of the MCP servers of this machine, or of one of them.',
      request_format: z.object({ server: server.optional() }),
      response_format: { type: 'object', properties: { servers: { type: 'array', items: { type: 'object' } } } },
      metadata,
    },
  )
  worker.registerFunction(RESTART_ID, ({ server: name }) => ({ server: servers.restart(name) }), {
    description:
      'Starts an MCP server of the configuration file anew, when its open calls are over or a moment has passed.',
    request_format: z.object({ server }),
    response_format: { type: 'object', properties: { server: { type: 'object' } } },
    metadata,
  })
}
