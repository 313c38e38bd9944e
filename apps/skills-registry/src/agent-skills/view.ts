import { compareText, isSkillShown, type JsonObject, SKILL_FILE, type SkillFileFact } from '@iii/protocol'
import { memoizeEach } from '../records/remembered.ts'
import type { AgentFacts } from '../renditions/facts.ts'
import { checkAgentName, lastSegment, toAgentName } from '../renditions/name.ts'
import { isReachable } from '../skills/reachable.ts'
import { inTreeOrder } from '../skills/tree.ts'

/** What a view is made of: a listed skill whose facts are known. */
export interface Described {
  id: string
  bytes: number
  agent: AgentFacts
  files?: readonly SkillFileFact[] | undefined
}

/** A registered skill that is served as an Agent Skill. */
export interface AgentSkill {
  readonly info: Described
  /** Its directory: `orders/refunds`. */
  readonly path: string
  /** The outermost skill that it lies in, itself if in none. */
  readonly top: Top
}

/** A skill that lies in no other, with all that lies in it. */
export interface Top {
  /** Itself first. */
  readonly skills: AgentSkill[]
  /** Registered texts below it that are no skills of their own. */
  readonly rows: Row[]
}

/** A text that is a file, `FOLDER.md`, and what it has of files of its own lies in the folder. */
interface Row {
  readonly folder: string
  readonly info: Described
}

/** A file that is served. */
export type ServedFile = { readonly path: string; readonly sha256: string; readonly bytes: number } & (
  | { readonly kind: 'skill'; readonly skill: AgentSkill }
  | { readonly kind: 'row'; readonly info: Described }
  | { readonly kind: 'file'; readonly info: Described; readonly fact: SkillFileFact }
)

/** A registered skill that is not served as one, and why. */
export interface LeftOutSkill {
  readonly id: string
  readonly cause: 'front matter' | 'name' | 'taken'
  readonly reason: string
}

/** The Agent Skills that somebody sees. */
export interface AgentSkillsView {
  /** In the order of their paths. */
  readonly skills: readonly AgentSkill[]
  readonly leftOut: readonly LeftOutSkill[]
  /** The skill that has this directory. */
  find(path: string): AgentSkill | undefined
  /** The outermost skill that a path lies in. */
  findTop(path: string): Top | undefined
}

export interface ViewOptions {
  /** `strict`: only texts that are Agent Skills as they are. */
  readonly frontmatter: 'render' | 'strict'
  /** Beginnings of the ids that are seen; undefined: all. What is not seen is as if it were not registered. */
  readonly prefixes?: readonly string[] | undefined
}

/** Says which of the registered skills are Agent Skills, which are files of others, and which are neither. */
export function toView(infos: readonly Described[], { frontmatter, prefixes }: ViewOptions): AgentSkillsView {
  const byPath = new Map<string, AgentSkill>()
  const leftOut: LeftOutSkill[] = []
  const above: AgentSkill[] = []
  const shown = infos.filter(({ id }) => isReachable(id) && isSkillShown(id, prefixes))
  for (const info of inTreeOrder(shown)) {
    while (above.length > 0 && !info.id.startsWith(`${above.at(-1)?.info.id}/`)) above.pop()
    const parent = above.at(-1)
    const path = toPath(info.id, parent)
    const isFile = parent !== undefined && !info.agent.declares
    const obstacle = explain(info, { path, frontmatter }) ?? explainTaken(byPath.get(path), path)
    if (!isFile && obstacle === undefined) {
      const skill = enter(info, path, parent)
      byPath.set(path, skill)
      above.push(skill)
      continue
    }
    parent?.top.rows.push({ folder: toFolder(info.id, parent), info })
    // Below a skill, a text that does not say that it is one is a file of that skill, as it should be.
    if (!isFile && obstacle !== undefined) leftOut.push({ id: info.id, ...obstacle })
  }
  return {
    skills: [...byPath.values()].sort(byTreeOrder),
    leftOut,
    find: (path) => byPath.get(path),
    findTop: (path) => findAbove(byPath, path)?.top,
  }
}

function enter(info: Described, path: string, parent: AgentSkill | undefined): AgentSkill {
  const top: Top = parent?.top ?? { skills: [], rows: [] }
  const skill = { info, path, top }
  top.skills.push(skill)
  return skill
}

interface Standing {
  path: string
  frontmatter: ViewOptions['frontmatter']
}

type Obstacle = Omit<LeftOutSkill, 'id'>

/** Why a text is not served as a skill of its own. */
function explain({ agent }: Described, { path, frontmatter }: Standing): Obstacle | undefined {
  if (frontmatter === 'strict' && agent.rendered !== undefined) {
    return { cause: 'front matter', reason: 'its front matter is not that of an Agent Skill' }
  }
  const reason = checkAgentName(lastSegment(path))
  return reason === undefined ? undefined : { cause: 'name', reason }
}

function explainTaken(other: AgentSkill | undefined, path: string): Obstacle | undefined {
  if (other === undefined) return undefined
  const reason = `${path} is the skill ${other.info.id} already, since '_' is served as '-': register one of them under another id`
  return { cause: 'taken', reason }
}

function toPath(id: string, parent: AgentSkill | undefined): string {
  const rest = parent === undefined ? id : id.slice(parent.info.id.length + 1)
  const name = lastSegment(rest)
  const path = `${rest.slice(0, rest.length - name.length)}${toAgentName(name)}`
  return parent === undefined ? path : `${parent.path}/${path}`
}

function toFolder(id: string, parent: AgentSkill): string {
  return `${parent.path}/${id.slice(parent.info.id.length + 1)}`
}

function findAbove(byPath: ReadonlyMap<string, AgentSkill>, path: string): AgentSkill | undefined {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const found = byPath.get(path.slice(0, slash))
    if (found) return found
  }
  return byPath.get(path)
}

/** All files in a skill that lies in no other, by their paths and in their order. Of two with one path the first counts: texts of skills, their files, other texts, the files of those. */
export const filesOf = memoizeEach((top: Top): ReadonlyMap<string, ServedFile> => {
  const files = new Map<string, ServedFile>()
  const add = (file: ServedFile) => {
    if (!files.has(file.path)) files.set(file.path, file)
  }
  for (const skill of top.skills) add(toText(skill))
  // What lies in an inner skill is for that one to say.
  for (const { path, info } of [...top.skills].reverse())
    for (const fact of info.files ?? []) add(toFile(path, info, fact))
  for (const { folder, info } of top.rows) {
    add({ kind: 'row', path: `${folder}.md`, info, sha256: info.agent.sha256, bytes: info.bytes })
  }
  for (const { folder, info } of top.rows) for (const fact of info.files ?? []) add(toFile(folder, info, fact))
  return withoutFolders(files)
})

/** What is a folder of others is no file. */
function withoutFolders(files: ReadonlyMap<string, ServedFile>): Map<string, ServedFile> {
  const folders = new Set<string>()
  for (const path of files.keys()) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash))
  }
  return new Map(
    [...files].filter(([path]) => !folders.has(path)).sort(([a], [b]) => compareText(toTreeKey(a), toTreeKey(b))),
  )
}

function toText(skill: AgentSkill): ServedFile {
  const { agent, bytes } = skill.info
  const text = agent.rendered ?? { sha256: agent.sha256, bytes }
  return { kind: 'skill', path: `${skill.path}/${SKILL_FILE}`, skill, sha256: text.sha256, bytes: text.bytes }
}

function toFile(folder: string, info: Described, fact: SkillFileFact): ServedFile {
  return { kind: 'file', path: `${folder}/${fact.path}`, info, fact, sha256: fact.sha256, bytes: fact.bytes }
}

/** Makes children follow their parents where it is compared. */
export function toTreeKey(path: string): string {
  return path.replaceAll('/', '\0')
}

function byTreeOrder(a: AgentSkill, b: AgentSkill): number {
  return compareText(toTreeKey(a.path), toTreeKey(b.path))
}

/** The front matter of a skill as it is served. */
export function frontMatterOf({ info }: AgentSkill): JsonObject {
  return info.agent.frontmatter
}
