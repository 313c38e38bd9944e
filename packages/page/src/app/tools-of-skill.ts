/** Where the answer to a read of a skill has the names of the tools that name it. */
const TOOLS_KEY = 'iii/tools'

/** A tool of a skill. */
export interface SkillTool {
  readonly name: string
  /** Has the list of tools it? One that it has not is called by another. */
  readonly isListed: boolean
}

/** The tools that name a skill. @param meta beside the text of it; that of anything else names none */
export function toToolsOf(meta: Readonly<Record<string, unknown>>, listed: readonly { name: string }[]): SkillTool[] {
  const names = meta[TOOLS_KEY]
  if (!Array.isArray(names)) return []
  const known = new Set(listed.map(({ name }) => name))
  return names.filter((name) => typeof name === 'string').map((name: string) => ({ name, isListed: known.has(name) }))
}
