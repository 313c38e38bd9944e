import type { Principal } from '../auth/principal.ts'

/** What the answer to a read says beside a skill, for whoever shows it as a page. */
export interface SkillToolsMeta extends Record<string, unknown> {
  /** The names of the tools that name the skill, sorted: all that the reader may call, whether a list has them or not. */
  readonly 'iii/tools': string[]
}

/** Which tools name a skill, of those that somebody sees, as they are known now: no read waits for a look. Undefined where none does. */
export type SkillTools = (id: string, principal: Principal) => SkillToolsMeta | undefined

export interface SkillToolsOptions {
  readonly catalog: {
    /** The same array until something has changed. */
    known(principal: Principal): readonly NamingTool[]
  }
}

interface NamingTool {
  readonly name: string
  /** Id of the skill that it names. */
  readonly skill?: string | undefined
}

export function createSkillTools({ catalog }: SkillToolsOptions): SkillTools {
  const tables = new WeakMap<readonly NamingTool[], ReadonlyMap<string, string[]>>()

  return (id, principal) => {
    const entries = catalog.known(principal)
    const table = tables.get(entries) ?? toTable(entries)
    tables.set(entries, table)
    const names = table.get(id)
    return names && { 'iii/tools': names }
  }
}

function toTable(entries: readonly NamingTool[]): ReadonlyMap<string, string[]> {
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
