import type { Tool } from '@modelcontextprotocol/client'

/** Where the row of a tool has the address of the skill that says how it is used. */
const SKILL_KEY = 'iii/skill'

/** The names of the tools that name a skill, in the order of their letters. @param uri of anything: what is no skill is named by none */
export function toToolsOf(uri: string, tools: readonly Pick<Tool, 'name' | '_meta'>[]): string[] {
  return tools
    .filter(({ _meta }) => _meta?.[SKILL_KEY] === uri)
    .map(({ name }) => name)
    .sort()
}
