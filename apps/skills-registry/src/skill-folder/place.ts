import { checkSkillId } from '@iii/protocol'

/**
 * How a skill is written in a folder: `folder` is `orders/SKILL.md`, the way of Agent Skills; `file` is `orders.md`.
 */
export type Form = 'folder' | 'file'

/** The file of a folder that is the skill of that folder. */
export const SKILL_FILE = 'SKILL.md'

/** Where file systems do not tell cases apart, `skill.md` would be `SKILL.md`: nobody else may be called so. */
const TAKEN = 'skill'

/** The skill that a file is, or why it is none. */
export type Place = { id: string; problem?: undefined } | { id?: undefined; problem: string }

/**
 * Reads the path of a markdown file, relative to the folder that is imported and with `/` between its parts, as the id of a skill.
 *
 * @example
 * parsePlace('orders/SKILL.md') // { id: 'orders' }
 * parsePlace('orders/refunds.md') // { id: 'orders/refunds' }
 * parsePlace('Orders.md') // { problem: 'invalid id (segment 1 of "Orders"): …; call it orders.md' }
 */
export function parsePlace(path: string): Place {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  const isSkillFile = name.toLowerCase() === SKILL_FILE.toLowerCase()
  if (isSkillFile && name !== SKILL_FILE) {
    return { problem: `call it ${[...segments, SKILL_FILE].join('/')}, or give it a name of its own` }
  }
  if (!isSkillFile) segments.push(name.replace(/\.md$/i, ''))
  const id = segments.join('/')
  const problem = checkSkillId(id)
  if (problem === undefined && (isSkillFile || name.endsWith('.md'))) return { id }
  return { problem: `${problem ?? 'the name has to end in .md'}${advise(segments, isSkillFile ? 'folder' : 'file')}` }
}

/**
 * The path of a skill in a folder: the inverse of {@link parsePlace}. An id whose last segment is `skill` has the folder form alone.
 *
 * @example
 * formatPlace('orders', 'folder') // 'orders/SKILL.md'
 */
export function formatPlace(id: string, form: Form): string {
  return form === 'folder' || id.split('/').at(-1) === TAKEN ? `${id}/${SKILL_FILE}` : `${id}.md`
}

function advise(segments: readonly string[], form: Form): string {
  const id = segments.map(toLegal).filter(Boolean).join('/')
  return checkSkillId(id) === undefined ? `; call it ${formatPlace(id, form)}` : ''
}

function toLegal(segment: string): string {
  return segment
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
}
