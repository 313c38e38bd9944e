import { formatSkillUri, SKILL_FILE, SKILL_SCHEME } from '@iii/protocol'
import { toOneLine } from '../markdown/plain-text.ts'
import { mimeTypeOf } from './entries.ts'
import { type AgentSkill, type AgentSkillsView, filesOf, frontMatterOf, type ServedFile } from './view.ts'

/** The text never grows beyond this many bytes; what does not fit is counted in its last line. */
const MAX_BYTES = 262_144
/** What that line takes at most. */
const NOTE_BYTES = 100

/**
 * What lies under a `skill://` address, for whoever has no other way to list it: in a skill all of its files, elsewhere the skills.
 *
 * @returns undefined for what is no directory. The one above all skills is there always.
 *
 * @example
 * toDirectoryText(view, 'orders')
 * // - skill://orders/SKILL.md — Create and cancel orders.
 * // - skill://orders/scripts/check.py (text/x-python, 9 bytes)
 */
export function toDirectoryText(view: AgentSkillsView, directory: string): string | undefined {
  if (directory === '' && view.skills.length === 0) return '_No skills are registered yet._'
  const prefix = directory === '' ? '' : `${directory}/`
  const top = view.findTop(directory)
  const isBelow = ({ path }: { readonly path: string }) => path.startsWith(prefix)
  return top
    ? toCut([...filesOf(top).values()].filter(isBelow), toFileRow)
    : toCut(view.skills.filter(isBelow), toSkillRow)
}

function toFileRow(file: ServedFile): string {
  if (file.kind === 'skill') return toSkillRow(file.skill)
  return `- ${formatSkillUri(file.path)} (${mimeTypeOf(file)}, ${file.bytes} bytes)`
}

function toSkillRow(skill: AgentSkill): string {
  const { description } = frontMatterOf(skill)
  return `- ${formatSkillUri(`${skill.path}/${SKILL_FILE}`)} — ${toOneLine(String(description))}`
}

/** A row for each, as far as there is room: no other is made. */
function toCut<T>(all: readonly T[], toRow: (one: T) => string): string | undefined {
  if (all.length === 0) return undefined
  const kept: string[] = []
  let room = MAX_BYTES - NOTE_BYTES
  for (const one of all) {
    const row = toRow(one)
    room -= Buffer.byteLength(row) + 1
    if (room < 0) break
    kept.push(row)
  }
  const left = all.length - kept.length
  if (left > 0) kept.push(`\n_${left} more do not fit here: fetch ${SKILL_SCHEME}ID for those under an ID._`)
  return kept.join('\n')
}
