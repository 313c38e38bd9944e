import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { checkFilePath, SKILL_FILE } from '@iii/protocol'
import { explainFound } from './inside.ts'
import { parseSkillPlace, toSegment } from './place.ts'

/** A folder that is looked into. */
export interface Folder {
  path: string
  /** The innermost folder of a skill that it is or lies in. */
  owner: string | undefined
  /** The outermost one. */
  outer?: string | undefined
}

/** One thing in a folder. */
export interface FolderEntry extends Folder {
  kind: 'folder' | 'skill' | 'inside' | 'hidden' | 'refused' | 'other'
  /** The id of a skill; the path of a file below its skill; why it is refused. */
  detail: string
}

export async function readFolder(
  root: string,
  { path: folder, owner: above, outer: top }: Folder,
): Promise<FolderEntry[]> {
  try {
    const found = await readdir(join(root, folder), { withFileTypes: true })
    const isSkill = folder !== '' && found.some((entry) => entry.name === SKILL_FILE && entry.isFile())
    const owner = isSkill ? folder : above
    const outer = top ?? owner
    // What is hidden outside of the folders of skills is nobody's.
    const seen = found.filter(({ name }) => owner !== undefined || !isHidden(name))
    return seen.map((entry) => ({ ...toEntry(entry, folder, { owner, outer }), owner, outer }))
  } catch (error) {
    return [{ path: folder === '' ? '.' : folder, owner: above, kind: 'refused', detail: explainFound(folder, error) }]
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.')
}

function toEntry(entry: Dirent, folder: string, { owner, outer }: Omit<Folder, 'path'>): Omit<FolderEntry, 'owner'> {
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
  return toSkill(path, folder, outer)
}

function toSkill(path: string, folder: string, outer: string | undefined): Omit<FolderEntry, 'owner'> {
  const { id, problem } = parseSkillPlace(path)
  if (problem !== undefined) return { path, kind: 'refused', detail: problem }
  const reason = outer === undefined ? undefined : checkNested(folder, outer)
  return reason === undefined ? { path, kind: 'skill', detail: id } : { path, kind: 'refused', detail: reason }
}

/**
 * A skill in the folder of another is exported to where its id says, and what links to it there names it by the path that it has:
 * both have to be the same.
 */
function checkNested(folder: string, outer: string): string | undefined {
  const inner = folder.slice(outer.length + 1)
  const written = inner.split('/').map(toSegment).join('/')
  if (inner === written) return undefined
  return `would be exported to ${written} in ${outer}, where no link to ${inner} leads: rename ${folder} to ${outer}/${written}`
}

/** What lies in the folder of a skill belongs to it, whatever it is. */
function toInner(entry: Dirent, path: string, owner: string): Omit<FolderEntry, 'owner'> {
  if (entry.isSymbolicLink()) return { path, kind: 'refused', detail: 'is a symbolic link, which is not followed' }
  if (!entry.isFile()) return { path, kind: 'refused', detail: 'is no regular file' }
  const inner = path.slice(owner.length + 1)
  const problem = checkFilePath(inner)
  return problem === undefined ? { path, kind: 'inside', detail: inner } : { path, kind: 'refused', detail: problem }
}
