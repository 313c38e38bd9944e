import { answersToGrant } from '../auth/decision.ts'
import type { McpCall } from '../mcp/call.ts'
import type { BridgeOptions } from '../options.ts'
import type { ManagementTool } from './tool-table.ts'

/** What the operator decided about the management tools. */
export type ManagementRules = Pick<BridgeOptions, 'noBuiltins' | 'httpBuiltins' | 'allowRun'>

type Who = Pick<McpCall, 'attached' | 'principal'>

/** Whether the management tools are listed for a client, and may be called at all. Who has a grant needs one that names them. */
export function isShown({ noBuiltins, httpBuiltins }: ManagementRules, { attached, principal }: Who): boolean {
  if (noBuiltins || !(attached || httpBuiltins)) return false
  return !answersToGrant(principal) || principal.grant?.management === true
}

/** Why a client may not use a tool; undefined when it may. What is not listed is refused too. */
export function refuseTool(tool: ManagementTool, rules: ManagementRules, who: Who): string | undefined {
  if (!isShown(rules, who)) return `Tool '${tool.name}' is disabled on this server`
  if (tool.needsAttached && !who.attached) {
    return 'This tool requires stdio transport (worker/trigger management is not available over HTTP)'
  }
  if (tool.needsAllowRun === undefined || rules.allowRun) return undefined
  return `Tool '${tool.name}' ${tool.needsAllowRun}, which this server was not allowed to do; whoever runs it can allow it`
}
