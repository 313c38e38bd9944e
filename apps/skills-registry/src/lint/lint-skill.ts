import { isRecord, MAX_SKILL_FILES, MAX_SKILL_FILES_BYTES, type SkillFinding } from '@iii/protocol'
import { toSkillEntry } from '../agent-skills/entries.ts'
import {
  type AgentSkill,
  type AgentSkillsView,
  filesOf,
  frontMatterOf,
  type LeftOutSkill,
  type Top,
} from '../agent-skills/view.ts'
import { memoizeEach } from '../records/remembered.ts'
import { lastSegment, toNearestName } from '../renditions/name.ts'
import { toRendition } from '../renditions/render.ts'
import { findAmbiguous } from '../renditions/yaml-versions.ts'
import { isReachable } from '../skills/reachable.ts'

type Finding = Omit<SkillFinding, 'id'>

/** Keys of `metadata` that the extension keeps for itself. */
const RESERVED_KEY = 'io.modelcontextprotocol/'

/** Says what keeps a skill from being served as an Agent Skill as it is, and what would mend it. Nothing is said of a text that is a file of a skill above it. */
export function lintSkill(id: string, text: string, view: AgentSkillsView): SkillFinding[] {
  return judge(id, text, view).map((finding) => ({ id, ...finding }))
}

function judge(id: string, text: string, view: AgentSkillsView): Finding[] {
  if (!isReachable(id)) {
    return [{ verdict: 'left_out', reason: 'no address leads to this id: register the skill under another one' }]
  }
  const { skills, leftOut, rows, named, hidden } = standingsOf(view)
  const skill = skills.get(id)
  const path = hidden.get(id)
  const files: Finding[] = path === undefined ? [] : [{ verdict: 'left_out', reason: explainHidden(path) }]
  if (skill !== undefined) return [...files, ...judgeServed(skill, text, named.get(nameOf(skill)) ?? [])]
  const isTaken = (other: string) => skills.has(other) || leftOut.has(other) || rows.has(other)
  const reason = toReason(leftOut.get(id), text, isTaken) ?? (rows.has(id) ? undefined : SHADOWED)
  return reason === undefined ? files : [{ verdict: 'left_out', reason }]
}

const SHADOWED = 'a skill above it has another file, or a folder, in its place: rename one of them'

function explainHidden(path: string): string {
  return `its file ${path} is not served: a skill above or below it has another file, or a folder, in its place: rename one of them`
}

const standingsOf = memoizeEach(({ skills, leftOut }: AgentSkillsView) => ({
  skills: new Map(skills.map((skill) => [skill.info.id, skill])),
  leftOut: new Map(leftOut.map((one) => [one.id, one])),
  named: groupByName(skills),
  /** Texts that are files of the skills above them. */
  rows: new Set(
    [...new Set(skills.map(({ top }) => top))].flatMap((top) =>
      [...filesOf(top).values()].flatMap((file) => (file.kind === 'row' ? [file.info.id] : [])),
    ),
  ),
  /** The first file of each that is not served, as another one has its place. */
  hidden: new Map([...new Set(skills.map(({ top }) => top))].flatMap(findHidden)),
}))

function findHidden(top: Top): [id: string, path: string][] {
  const served = new Set([...filesOf(top).values()].flatMap((file) => (file.kind === 'file' ? [file.fact] : [])))
  return [...top.skills, ...top.rows].flatMap(({ info: { id, files = [] } }) => {
    const fact = files.find((one) => !served.has(one))
    return fact === undefined ? [] : [[id, fact.path]]
  })
}

function groupByName(skills: readonly AgentSkill[]): Map<string, AgentSkill[]> {
  const named = new Map<string, AgentSkill[]>()
  for (const skill of skills) {
    const others = named.get(nameOf(skill))
    if (others === undefined) named.set(nameOf(skill), [skill])
    else others.push(skill)
  }
  return named
}

function nameOf({ path }: AgentSkill): string {
  return lastSegment(path)
}

/** With what would be right. @param isTaken whether there is a skill of an id, which a registration would replace */
function toReason(
  leftOut: LeftOutSkill | undefined,
  text: string,
  isTaken: (id: string) => boolean,
): string | undefined {
  if (leftOut === undefined) return undefined
  const { id, cause, reason } = leftOut
  if (cause === 'front matter') return toRendition(id, text).reason ?? reason
  const segment = lastSegment(id)
  const name = cause === 'name' ? toNearestName(segment) : undefined
  if (name === undefined) return reason
  const other = `${id.slice(0, id.length - segment.length)}${name}`
  return `${reason}; ${isTaken(other) ? `${other} is another skill: register it under a third id` : `register it as ${other}`}`
}

function judgeServed(skill: AgentSkill, text: string, named: readonly AgentSkill[]): Finding[] {
  const { reason, isRendered } = toRendition(skill.info.id, text)
  const findings: Finding[] = []
  if (isRendered) findings.push({ verdict: 'rendered', reason: `is served with front matter made for it: ${reason}` })
  const warn = (problem: string | undefined) => {
    if (problem !== undefined) findings.push({ verdict: 'warning', reason: problem })
  }
  if (!isRendered) for (const word of findAmbiguous(text)) warn(explainAmbiguous(word))
  warn(explainReservedKeys(skill))
  warn(explainSize(skill))
  warn(explainName(skill, named))
  return findings
}

/** Hosts may know a skill by its name alone. */
function explainName(skill: AgentSkill, named: readonly AgentSkill[]): string | undefined {
  const other = named.find((one) => one !== skill)
  if (other === undefined) return undefined
  const more = named.length > 2 ? ` and ${named.length - 2} more have` : ' has'
  return `${other.info.id}${more} the name ${nameOf(skill)} too, and hosts may tell skills apart by their names: give one another last segment`
}

function explainAmbiguous(word: string): string {
  return `its front matter has ${word}, which YAML 1.1 reads otherwise than YAML 1.2: quote it`
}

function explainReservedKeys(skill: AgentSkill): string | undefined {
  const { metadata } = frontMatterOf(skill)
  const key = isRecord(metadata) ? Object.keys(metadata).find((name) => name.startsWith(RESERVED_KEY)) : undefined
  return key === undefined ? undefined : `its metadata has ${key}: keys that begin with ${RESERVED_KEY} are reserved`
}

/** Hosts may refuse a skill that is larger, with all that lies in it. */
function explainSize(skill: AgentSkill): string | undefined {
  const { resources } = toSkillEntry(skill)
  const bytes = resources.reduce((sum, { size }) => sum + size, 0)
  if (resources.length <= MAX_SKILL_FILES && bytes <= MAX_SKILL_FILES_BYTES) return undefined
  return `it has ${resources.length} files of ${bytes} bytes with its own text and all that lies below it; hosts take ${MAX_SKILL_FILES} and ${MAX_SKILL_FILES_BYTES}: make several of it`
}
