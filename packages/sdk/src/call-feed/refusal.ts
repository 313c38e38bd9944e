import { isInternalId, McpCallConfig } from '@iii/protocol'
import { formatIssues } from '../schema/issue-text.ts'
import type { Binding } from '../worker/trigger-types.ts'

/** Nobody has the engine's own plumbing called with what was called. @returns why a binding to `type` is refused */
export function refuseBinding(type: string, { function_id, config }: Binding): string | undefined {
  if (isInternalId(function_id)) return `'${type}' does not call '${function_id}': it is in an internal namespace`
  const { error, data } = McpCallConfig.safeParse(config ?? {})
  if (data !== undefined) return refuseWords(type, data)
  return `the config of a binding to '${type}' is {}, { "inputs": true }, or has lists of kinds, decisions, principals or functions to hear of, and not this one: ${formatIssues(error.issues, 'config')}`
}

/** What would never be heard of. */
function refuseWords(type: string, { principals = [], functions = [] }: McpCallConfig): string | undefined {
  const stray = [...principals, ...functions].find((word) => /\*./.test(word))
  if (stray === undefined) return undefined
  return `the config of a binding to '${type}' has '${stray}', which nothing fits: a * stands at the end alone, as in 'orders::*'`
}
