import { isInternalId, McpCallConfig } from '@iii/protocol'
import type { Binding } from '../worker/trigger-types.ts'

/** Nobody has the engine's own plumbing called with what was called. @returns why a binding to `type` is refused */
export function refuseBinding(type: string, { function_id, config }: Binding): string | undefined {
  if (isInternalId(function_id)) return `'${type}' does not call '${function_id}': it is in an internal namespace`
  if (McpCallConfig.safeParse(config ?? {}).success) return undefined
  return `the config of a binding to '${type}' is {}, { "inputs": true }, or has lists of kinds, decisions, principals or functions to hear of`
}
