import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { explainSystem } from './inside.ts'
import { parsePlace } from './place.ts'

/** A file that is a skill by its path; nothing of it was read. */
export interface SkillFile {
  id: string
  /** Relative to the folder, with `/` between its parts. */
  path: string
}

export interface Refused {
  path: string
  reason: string
}

/** What lies in a folder. */
export interface Found {
  /** In the order of their paths. */
  files: readonly SkillFile[]
  /** What looks like a skill and cannot be one, with the reason. */
  refused: readonly Refused[]
  /** Files that are no markdown. */
  others: number
}

/**
 * Looks through a folder and everything below it, but for what is hidden (`.git`). Symbolic links are not followed, not even those
 * that stay inside.
 */
export async function walkFolder(root: string): Promise<Found> {
  const files: SkillFile[] = []
  const refused: Refused[] = []
  let others = 0
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { path, kind, detail } of await readFolder(root, folder)) {
      switch (kind) {
        case 'folder':
          folders.push(path)
          break
        case 'skill':
          files.push({ id: detail, path })
          break
        case 'refused':
          refused.push({ path, reason: detail })
          break
        case 'other':
          others += 1
      }
    }
  }
  const { single, twins } = separateTwins(files)
  return { files: single.sort(byPath), refused: [...refused, ...twins].sort(byPath), others }
}

interface Entry {
  path: string
  kind: 'folder' | 'skill' | 'refused' | 'other'
  /** The id of a skill; why it is refused. */
  detail: string
}

async function readFolder(root: string, folder: string): Promise<Entry[]> {
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    return entries.filter(({ name }) => !name.startsWith('.')).map((entry) => toEntry(entry, folder))
  } catch (error) {
    return [{ path: folder === '' ? '.' : folder, kind: 'refused', detail: explainSystem(error) }]
  }
}

function toEntry(entry: Dirent, folder: string): Entry {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (entry.isDirectory()) return { path, kind: 'folder', detail: '' }
  const isMarkdown = /\.md$/i.test(path)
  // A link to something without an ending may be a folder of skills: it is not left out without a word.
  if (entry.isSymbolicLink() && (isMarkdown || extname(path) === '')) {
    return { path, kind: 'refused', detail: 'is a symbolic link, which is not followed' }
  }
  if (!isMarkdown) return { path, kind: 'other', detail: '' }
  if (!entry.isFile()) return { path, kind: 'refused', detail: 'is no regular file' }
  const { id, problem } = parsePlace(path)
  return problem === undefined ? { path, kind: 'skill', detail: id } : { path, kind: 'refused', detail: problem }
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1
}

/** `orders.md` and `orders/SKILL.md` are the same skill: which one is meant only their owner knows. */
function separateTwins(files: readonly SkillFile[]) {
  const paths = new Map<string, string[]>()
  for (const { id, path } of files) paths.set(id, [...(paths.get(id) ?? []), path])
  const isSingle = ({ id }: SkillFile) => paths.get(id)?.length === 1
  const toOther = ({ id, path }: SkillFile) => paths.get(id)?.find((other) => other !== path)
  const twins = files
    .filter((file) => !isSingle(file))
    .map((file) => ({
      path: file.path,
      reason: `is the skill ${file.id}, and so is ${toOther(file)}: keep one of them`,
    }))
  return { single: files.filter(isSingle), twins }
}
