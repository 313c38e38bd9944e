import { FETCH_TOOL_ID, formatToolName } from '@iii/protocol'
import { answersToGrant } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { SkillBrief } from '../resources/skill-brief.ts'

/** What knows the tools that a principal may see. */
interface Named {
  known(principal: Principal): readonly unknown[]
  hasTool(name: string, principal: Principal): boolean
}

/** What there is to say something about. */
export interface Offered {
  /** A registry of skills is there, or nothing is known yet. */
  readonly hasSkills: boolean
  /** The prompts that the bridge brings along are on. */
  readonly hasCannedPrompts: boolean
  /** A list has few of the tools, and one that finds the others. @default false */
  readonly isSearched?: boolean
  /** The index of skills, where it is known. @default empty */
  readonly brief?: string
}

/** Before the engine has been looked at nothing is known, and mostly there are skills: whoever has a grant is told of what it may see alone. */
export function createInstructions(
  catalog: Named,
  hasCannedPrompts: () => boolean,
  brief: SkillBrief,
): (principal: Principal, isSearched: boolean) => Promise<string> {
  return async (principal, isSearched) => {
    const isUnknown = catalog.known(principal).length === 0 && !answersToGrant(principal)
    const hasSkills = isUnknown || catalog.hasTool(FETCH_TOOL, principal)
    const offered = { hasSkills, hasCannedPrompts: hasCannedPrompts(), isSearched }
    return toInstructions(hasSkills ? { ...offered, brief: await brief(principal) } : offered)
  }
}

/** What a model is told of this server, about what is there and nothing else. */
export function toInstructions({ hasSkills, hasCannedPrompts, isSearched = false, brief = '' }: Offered): string {
  const text = [
    TOOLS,
    ...(isSearched ? SEARCH : []),
    ...(hasSkills ? SKILLS : []),
    SECTIONS,
    hasCannedPrompts ? `${PROMPTS}; ${CANNED}` : PROMPTS,
  ]
    .join(' ')
    .concat('.')
  return brief === '' ? text : `${text}\n\n${brief}`
}

const FETCH_TOOL = formatToolName(FETCH_TOOL_ID)
const TOOLS = 'Tools are functions of an iii engine: a tool named orders__create is the function orders::create.'
const SEARCH = ['The list has few of them: search_tools finds the others by what they do, and call_tool calls them.']
const SKILLS = [
  'How and when to use them is written in skills: read iii://skills for the index, then the iii://… links that it and',
  'the skills contain, with resources/read or, several at once, with the tool skill__fetch.',
]
const SECTIONS = 'iii://fn/… addresses are live: a function renders them when they are read.'
const PROMPTS = 'Prompts are tasks that the user starts by name, with what they need filled in'
const CANNED =
  'those of this server itself show how to write functions, HTTP routes, schedules and pipelines for the engine'
