import { formatUri, INDEX_URI, MAX_BRIEF_LENGTH } from '@iii/protocol'
import { toOneLine } from '../markdown/plain-text.ts'
import { isReachable } from '../skills/reachable.ts'
import type { SkillInfo } from '../skills/skills.ts'
import { inTreeOrder } from '../skills/tree.ts'

/** What a skill counts that says nothing of its priority: between what is needed and what is optional. */
const USUAL_PRIORITY = 0.5
/** No row is shorter: `- iii://a` and the end of the line. */
const SHORTEST_ROW = 10

/**
 * The index of skills for whoever is told of the server before it reads anything: those of the highest priority first, then those that
 * lie in no other, a line each. What does not fit is in the index.
 *
 * @returns an empty text where there is no skill.
 *
 * @example
 * toSkillBrief([{ id: 'orders', summary: 'Create orders.', … }])
 * // The skills:
 * // - iii://orders: Create orders.
 */
export function toSkillBrief(infos: readonly SkillInfo[], max = MAX_BRIEF_LENGTH): string {
  const skills = inOrderOfPriority(infos.filter(({ id }) => isReachable(id)))
  if (skills.length === 0) return ''
  const whole = ['The skills:', ...skills.slice(0, max / SHORTEST_ROW).map(toRow)].join('\n')
  if (skills.length <= max / SHORTEST_ROW && whole.length <= max) return whole
  const lines = [`Some of the ${skills.length} skills, of which ${INDEX_URI} has all:`]
  let room = max - lines.join('').length
  for (const skill of skills) {
    if (room <= SHORTEST_ROW) break
    const row = toRow(skill)
    if (row.length >= room) continue
    room -= row.length + 1
    lines.push(row)
  }
  return lines.join('\n')
}

function inOrderOfPriority(infos: readonly SkillInfo[]): SkillInfo[] {
  const rank = ({ priority = USUAL_PRIORITY }: SkillInfo) => priority
  const depth = ({ id }: SkillInfo) => id.split('/').length
  return inTreeOrder(infos).sort((a, b) => rank(b) - rank(a) || depth(a) - depth(b))
}

function toRow({ id, title, summary = title }: SkillInfo): string {
  const address = `- ${formatUri({ kind: 'skill', id })}`
  return summary === undefined ? address : `${address}: ${toOneLine(summary)}`
}
