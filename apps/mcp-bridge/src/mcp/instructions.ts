import { FETCH_TOOL_ID, formatToolName } from '@iii/protocol'

/** What knows the names of all tools. */
export interface Named {
  names(): Iterable<string>
}

/** What there is to say something about. */
export interface Offered {
  /** A registry of skills is there, or nothing is known yet. */
  readonly hasSkills: boolean
  /** The prompts that the bridge brings along are on. */
  readonly hasCannedPrompts: boolean
}

/** Before the engine has been looked at nothing is known, and mostly there are skills. */
export function createInstructions(catalog: Named, hasCannedPrompts: () => boolean): () => string {
  return () => {
    const names = new Set(catalog.names())
    const hasSkills = names.size === 0 || names.has(formatToolName(FETCH_TOOL_ID))
    return toInstructions({ hasSkills, hasCannedPrompts: hasCannedPrompts() })
  }
}

/** What a model is told of this server, about what is there and nothing else. */
export function toInstructions({ hasSkills, hasCannedPrompts }: Offered): string {
  return [TOOLS, ...(hasSkills ? SKILLS : []), SECTIONS, hasCannedPrompts ? `${PROMPTS}; ${CANNED}` : PROMPTS]
    .join(' ')
    .concat('.')
}

const TOOLS = 'Tools are functions of an iii engine: a tool named orders__create is the function orders::create.'
const SKILLS = [
  'How and when to use them is written in skills: read iii://skills for the index, then the iii://… links that it and',
  'the skills contain, with resources/read or, several at once, with the tool skill__fetch.',
]
const SECTIONS = 'iii://fn/… addresses are live: a function renders them when they are read.'
const PROMPTS = 'Prompts are tasks that the user starts by name, with what they need filled in'
const CANNED =
  'those of this server itself show how to write functions, HTTP routes, schedules and pipelines for the engine'
