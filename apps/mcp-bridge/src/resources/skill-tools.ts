import type { Principal } from '../auth/principal.ts'

/** What the answer to a read says beside a skill, for whoever shows it as a page. */
export interface SkillToolsMeta {
  /** The names of the tools that name the skill, sorted: all that the reader may call, whether a list has them or not. */
  readonly 'iii/tools'?: readonly string[]
}

/** Which tools name a skill, of those that somebody sees. Never rejects: a skill is read without them too. */
export type SkillTools = (id: string, principal: Principal) => Promise<SkillToolsMeta>

export interface SkillToolsOptions {
  readonly catalog: {
    /** The same array until something has changed. */
    entries(principal: Principal): Promise<readonly NamingTool[]>
  }
}

interface NamingTool {
  readonly name: string
  /** Id of the skill that it names. */
  readonly skill?: string | undefined
}

export function createSkillTools({ catalog }: SkillToolsOptions): SkillTools {
  const tables = new WeakMap<readonly NamingTool[], ReadonlyMap<string, readonly string[]>>()

  return async (id, principal) => {
    const entries = await catalog.entries(principal).catch(() => [])
    const table = tables.get(entries) ?? toTable(entries)
    tables.set(entries, table)
    const names = table.get(id)
    return names === undefined ? {} : { 'iii/tools': names }
  }
}

function toTable(entries: readonly NamingTool[]): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>()
  for (const { name, skill } of entries) {
    if (skill === undefined) continue
    const names = table.get(skill)
    if (names === undefined) table.set(skill, [name])
    else names.push(name)
  }
  for (const names of table.values()) names.sort()
  return table
}
