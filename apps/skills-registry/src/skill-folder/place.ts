import { checkSkillId, SKILL_FILE } from '@iii/protocol'

/**
 * How a skill is written in a folder: `folder` is `orders/SKILL.md`, the way of Agent Skills; `file` is `orders.md`.
 */
export type SkillForm = 'folder' | 'file'

/** Where file systems do not tell cases apart, `skill.md` would be `SKILL.md`: nobody else may be called so. */
const TAKEN = 'skill'

/** The skill that a file is, or why it is none. */
export type SkillPlace = { id: string; problem?: undefined } | { id?: undefined; problem: string }

/**
 * Reads the path of a markdown file, relative to the folder that is imported and with `/` between its parts, as the id of a skill.
 * Capital letters become small ones, spaces and dots `-`: names that people give to files. Whatever else is no id is not guessed at.
 *
 * @example
 * parseSkillPlace('orders/SKILL.md') // { id: 'orders' }
 * parseSkillPlace('orders/README.md') // { id: 'orders/readme' }
 * parseSkillPlace('Fragen & Antworten.md') // { problem: 'invalid id (segment 1 of "Fragen & Antworten"): …; call it fragen-antworten.md' }
 */
export function parseSkillPlace(path: string): SkillPlace {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  const isSkillFile = name.toLowerCase() === SKILL_FILE.toLowerCase()
  if (isSkillFile && name !== SKILL_FILE) {
    return { problem: `call it ${[...segments, SKILL_FILE].join('/')}, or give it a name of its own` }
  }
  if (!isSkillFile) segments.push(toStem(name))
  const id = segments.map(toSegment).join('/')
  const problem = checkSkillId(id)
  if (problem === undefined) return { id }
  return { problem: `${problem}${advise(segments, isSkillFile ? 'folder' : 'file') || adviseBelow(segments)}` }
}

/** The name of a markdown file without its ending. */
export function toStem(name: string): string {
  return name.replace(/\.md$/i, '')
}

/** The part of an id that a folder or a file without its ending stands for; itself when nothing says which. */
export function toSegment(name: string): string {
  return SPEAKING.test(name) ? name.toLowerCase().replace(/[ .]+/g, '-') : name
}

/** Not hidden, and with a letter or digit in it. */
const SPEAKING = /^(?!\.)[ ._-]*[A-Za-z0-9][A-Za-z0-9 ._-]*$/

/** Whether a file is called as {@link formatSkillPlace} would call it. */
export function isPlain({ path, id }: { path: string; id: string }): boolean {
  return path === formatSkillPlace(id, 'file') || path === formatSkillPlace(id, 'folder')
}

/**
 * The path of a skill in a folder, which {@link parseSkillPlace} reads as its id. An id whose last segment is `skill` has the folder form alone.
 *
 * @example
 * formatSkillPlace('orders', 'folder') // 'orders/SKILL.md'
 */
export function formatSkillPlace(id: string, form: SkillForm): string {
  return form === 'folder' || id.split('/').at(-1) === TAKEN ? `${id}/${SKILL_FILE}` : `${id}.md`
}

function advise(segments: readonly string[], form: SkillForm): string {
  const id = segments.map(toLegal).filter(Boolean).join('/')
  return checkSkillId(id) === undefined ? `; call it ${formatSkillPlace(id, form)}` : ''
}

/** Repositories of skills have them all in a folder `skills`, which no id begins with. */
function adviseBelow([folder = '', ...segments]: readonly string[]): string {
  const id = segments.map(toSegment).join('/')
  return checkSkillId(id) === undefined ? `; import the folder ${folder} itself, and it is ${id}` : ''
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
