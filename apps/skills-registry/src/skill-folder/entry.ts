import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { checkFilePath, SKILL_FILE } from '@iii/protocol'
import { explainSystem } from './inside.ts'
import { parseSkillPlace } from './place.ts'

/** A folder that is looked into. */
export interface Folder {
  path: string
  /** The innermost folder of a skill that it is or lies in. */
  owner: string | undefined
}

/** One thing in a folder. */
export interface Entry extends Folder {
  kind: 'folder' | 'skill' | 'inside' | 'hidden' | 'refused' | 'other'
  /** The id of a skill; the path of a file below its skill; why it is refused. */
  detail: string
}

export async function readFolder(root: string, { path: folder, owner: above }: Folder): Promise<Entry[]> {
  try {
    const found = await readdir(join(root, folder), { withFileTypes: true })
    const isSkill = folder !== '' && found.some((entry) => entry.name === SKILL_FILE && entry.isFile())
    const owner = isSkill ? folder : above
    // What is hidden outside of the folders of skills is nobody's.
    const seen = found.filter(({ name }) => owner !== undefined || !isHidden(name))
    return seen.map((entry) => ({ ...toEntry(entry, folder, owner), owner }))
  } catch (error) {
    return [{ path: folder === '' ? '.' : folder, owner: above, kind: 'refused', detail: explainSystem(error) }]
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.')
}

function toEntry(entry: Dirent, folder: string, owner: string | undefined): Omit<Entry, 'owner'> {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (isHidden(entry.name)) return { path, kind: 'hidden', detail: '' }
  if (entry.isDirectory()) return { path, kind: 'folder', detail: '' }
  if (owner !== undefined && entry.name.toLowerCase() !== SKILL_FILE.toLowerCase()) return toInner(entry, path, owner)
  const isMarkdown = /\.md$/i.test(path)
  // A link to something without an ending may be a folder of skills: it is not left out without a word.
  if (entry.isSymbolicLink() && (isMarkdown || extname(path) === '')) {
    return { path, kind: 'refused', detail: 'is a symbolic link, which is not followed' }
  }
  if (!isMarkdown) return { path, kind: 'other', detail: '' }
  if (!entry.isFile()) return { path, kind: 'refused', detail: 'is no regular file' }
  const { id, problem } = parseSkillPlace(path)
  return problem === undefined ? { path, kind: 'skill', detail: id } : { path, kind: 'refused', detail: problem }
}

/** What lies in the folder of a skill belongs to it, whatever it is. */
function toInner(entry: Dirent, path: string, owner: string): Omit<Entry, 'owner'> {
  if (entry.isSymbolicLink()) return { path, kind: 'refused', detail: 'is a symbolic link, which is not followed' }
  if (!entry.isFile()) return { path, kind: 'refused', detail: 'is no regular file' }
  const inner = path.slice(owner.length + 1)
  const problem = checkFilePath(inner)
  return problem === undefined ? { path, kind: 'inside', detail: inner } : { path, kind: 'refused', detail: problem }
}
