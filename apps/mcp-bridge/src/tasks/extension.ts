import { Fault, isRecord, type McpMetadata } from '@iii/protocol'
import type { McpCall } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** What a client declares that can take a task for a result (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/**
 * Is the call of a function to become a task?
 *
 * @throws RpcError when it has to and the client cannot take one; a Fault in revisions that have no tasks
 */
export function isForTask(functionId: string, { task }: McpMetadata, call: McpCall): boolean {
  if (task === undefined) return false
  if (call.era === 'stateless' && isDeclared(call)) return true
  if (task === 'optional') return false
  const text = `${functionId} takes long and runs as a task only; this client cannot take tasks (MCP 2026-07-28, extension ${TASKS_EXTENSION})`
  throw call.era === 'stateless' ? missingExtension(text) : new Fault('unavailable', text)
}

/** @throws RpcError for a client that has not declared it with this very request */
export function requireExtension(call: McpCall): void {
  if (!isDeclared(call)) throw missingExtension(`The client has to declare the extension ${TASKS_EXTENSION}`)
}

function isDeclared({ capabilities }: McpCall): boolean {
  const { extensions } = capabilities
  return isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION])
}

function missingExtension(text: string): RpcError {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
  return new RpcError(RPC.missingCapability, text, { requiredCapabilities })
}
