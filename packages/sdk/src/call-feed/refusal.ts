import { isInternalId, McpCallConfig } from '@iii/protocol'
import { formatIssues } from '../schema/issue-text.ts'
import type { Binding } from '../worker/trigger-types.ts'

/** Nobody has the engine's own plumbing called with what was called. @returns why a binding to `type` is refused */
export function refuseBinding(type: string, { function_id, config }: Binding): string | undefined {
  if (isInternalId(function_id)) return `'${type}' does not call '${function_id}': it is in an internal namespace`
  const { error } = McpCallConfig.safeParse(config ?? {})
  if (error === undefined) return undefined
  return `the config of a binding to '${type}' is {}, { "inputs": true }, or has lists of kinds, decisions, principals or functions to hear of, and not this one: ${formatIssues(error.issues, 'config')}`
}
