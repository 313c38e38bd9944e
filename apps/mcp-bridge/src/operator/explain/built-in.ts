import { answersToGrant, searchesTools } from '../../auth/decision.ts'
import { EVERYBODY, type Principal } from '../../auth/principal.ts'
import {
  findManagementTool,
  isShown,
  MANAGEMENT_TOOLS,
  type ManagementRules,
  type ManagementTool,
  refuseTool,
} from '../../management/index.ts'
import type { BridgeOptions } from '../../options.ts'
import { CANNED_PROMPTS } from '../../prompts/canned/index.ts'
import { isEnginePage } from '../../resources/engine/index.ts'
import { isSearchTool } from '../../tools/search/index.ts'
import { findWays } from './changes.ts'

/** Something that the bridge brings along, and what clients have of it over each transport. */
export interface BuiltIn {
  readonly kind: 'management_tool' | 'search_tool' | 'prompt' | 'resource'
  readonly name: string
  readonly stdio: BuiltInVerdict
  readonly http: BuiltInVerdict
}

export interface BuiltInVerdict {
  /** Is it listed? */
  readonly shown: boolean
  /** Is it not refused either when it is used? */
  readonly usable: boolean
  /** Why not, for people. */
  readonly reason?: string
  /** Each would let it be used; none when nothing does. */
  readonly changes?: readonly string[]
}

type Rules = ManagementRules & Pick<BridgeOptions, 'tools'>

/** @returns undefined for what is not the bridge's own */
export function explainBuiltIn(name: string, rules: Rules, principal: Principal): BuiltIn | undefined {
  if (isSearchTool(name)) {
    const verdict = judgeSearch(rules, principal)
    return { kind: 'search_tool', name, stdio: verdict, http: verdict }
  }
  const tool = findManagementTool(name)
  if (tool !== undefined) return toBuiltInTool(tool, rules, principal)
  const kind = CANNED_PROMPTS.includes(name) ? 'prompt' : isEnginePage(name) ? 'resource' : undefined
  if (kind === undefined) return undefined
  const verdict = judgeBuiltin(rules)
  return { kind, name, stdio: verdict, http: verdict }
}

export function explainManagementTools(rules: ManagementRules, principal: Principal = EVERYBODY): BuiltIn[] {
  return MANAGEMENT_TOOLS.map((tool) => toBuiltInTool(tool, rules, principal))
}

function toBuiltInTool(tool: ManagementTool, rules: ManagementRules, principal: Principal): BuiltIn {
  const judge = (attached: boolean) => judgeGranted(judgeTool(tool, rules, attached), principal)
  return { kind: 'management_tool', name: tool.name, stdio: judge(true), http: judge(false) }
}

/** They stand in for a list of all tools; whoever has that does not have them. */
function judgeSearch(rules: Rules, principal: Principal): BuiltInVerdict {
  if (searchesTools(principal, rules)) return { shown: true, usable: true }
  const { grant } = principal
  const ofGrant = grant?.tools === undefined ? undefined : `give the grant '${grant.name}' tools: search`
  return {
    shown: false,
    usable: false,
    reason: 'lists have all tools',
    changes: [ofGrant ?? 'start the bridge with --tools search'],
  }
}

interface Switch {
  readonly text: string
  readonly rules: Partial<ManagementRules>
}

const BUILTINS: Switch = { text: 'start the bridge without --no-builtins', rules: { noBuiltins: false } }
const SWITCHES: readonly Switch[] = [
  BUILTINS,
  { text: 'start it with --http-builtins', rules: { httpBuiltins: true } },
  { text: 'start it with --allow-run', rules: { allowRun: true } },
]

/** Whoever has a grant needs one that names the management tools, beside all else. */
function judgeGranted(verdict: BuiltInVerdict, principal: Principal): BuiltInVerdict {
  const { grant } = principal
  if (!answersToGrant(principal) || grant?.management === true) return verdict
  const { usable, changes = [] } = verdict
  const named = `give the grant '${grant?.name}' management: true`
  return {
    shown: false,
    usable: false,
    reason: `the grant '${grant?.name}' does not name the management tools`,
    changes: usable ? [named] : changes.map((change) => `${change} and ${named}`),
  }
}

/** Asks the rule that the running bridge asks, also for what would change its answer. */
function judgeTool(tool: ManagementTool, rules: ManagementRules, attached: boolean): BuiltInVerdict {
  const isUsable = (changed: ManagementRules) =>
    refuseTool(tool, changed, { attached, principal: EVERYBODY }) === undefined
  if (isUsable(rules)) return { shown: true, usable: true }
  const shown = isShown(rules, { attached, principal: EVERYBODY })
  return {
    shown,
    usable: false,
    reason: explain(tool, rules, attached),
    changes: findWays(SWITCHES, (way) => isUsable(Object.assign({}, rules, ...way.map((one) => one.rules)))),
  }
}

function explain({ needsAttached, needsAllowRun }: ManagementTool, rules: ManagementRules, attached: boolean): string {
  if (rules.noBuiltins) return '--no-builtins is set'
  if (needsAttached && !attached)
    return 'over HTTP it is refused whatever the flags: it takes the process that a client has started'
  if (!attached) return 'management tools are shown over HTTP with --http-builtins alone'
  return `it ${needsAllowRun}, which the bridge was not allowed to do`
}

function judgeBuiltin({ noBuiltins }: ManagementRules): BuiltInVerdict {
  if (!noBuiltins) return { shown: true, usable: true }
  return { shown: false, usable: false, reason: '--no-builtins is set', changes: [BUILTINS.text] }
}
