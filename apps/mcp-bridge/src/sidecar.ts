import { randomUUID } from 'node:crypto'
import type { McpCall } from './call.ts'

/** Makes what travels beside a call to a function: who asked, and how to reach them. */
export type ToSidecar = (call: McpCall) => { mcp: Record<string, unknown> }

/** @param via the prefix under `mcp::` that belongs to this bridge process alone */
export function createSidecar(via: string): ToSidecar {
  return ({ client, capabilities }) => ({
    mcp: {
      call_id: randomUUID(),
      via,
      ...(client === undefined ? {} : { client }),
      client_capabilities: capabilities,
    },
  })
}
