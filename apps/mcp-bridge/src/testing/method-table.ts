import { isRecord, type JsonObject } from '@iii/protocol'
import type { McpCall } from '../mcp/call.ts'
import type { McpServer } from '../mcp/contract.ts'
import { negotiateRevision } from '../mcp/era.ts'

/** What a method of a test does, with all that a carrier gives it. */
export type TestMethod = (params: JsonObject, call: McpCall) => unknown

/** A method table of a test's own, for carriers. */
export function createMethodTable(methods: Readonly<Record<string, TestMethod>>): McpServer {
  return {
    nameParam: () => undefined,
    sessionRequest: (method: string, { protocolVersion, capabilities }: JsonObject) =>
      method === 'initialize'
        ? {
            revision: negotiateRevision(protocolVersion),
            client: undefined,
            capabilities: isRecord(capabilities) ? capabilities : {},
          }
        : undefined,
    handle: async (method, params, call) => JSON.stringify((await methods[method]?.(params, call)) ?? {}),
  }
}
