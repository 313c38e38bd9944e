import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { compareText, SKILL_FILE } from '@iii/protocol'
import { type Folder, type FolderEntry, readFolder } from './folder-entry.ts'

/** A file that is a skill by its path; nothing of it was read. */
export interface FoundSkill {
  id: string
  /** Relative to the folder, with `/` between its parts. */
  path: string
  /** Where it is the `SKILL.md` of a folder: the other files of that folder, as paths below it. */
  files?: readonly string[]
  /** One of the other files that was refused: without it the skill is not whole. */
  lacks?: string | undefined
}

export interface Refused {
  path: string
  reason: string
}

/** What lies in a folder. */
export interface Found {
  /** In the order of their paths. */
  files: readonly FoundSkill[]
  /** What looks like a skill and cannot be one, with the reason. */
  refused: readonly Refused[]
  /** Files that are neither markdown nor in the folder of a skill. */
  others: number
  /** What is hidden in the folders of skills: files, and folders that were not looked into. */
  hidden: readonly string[]
}

/**
 * Looks through a folder of skills, or through that of one skill, which is called like its folder.
 *
 * @returns also the folder that all paths are relative to
 */
export async function walkSkills(folder: string): Promise<{ root: string; found: Found }> {
  const isSkill = await lstat(join(folder, SKILL_FILE)).then(
    (stats) => stats.isFile(),
    () => false,
  )
  const root = isSkill ? dirname(folder) : folder
  return { root, found: await walkFolder(root, isSkill ? basename(folder) : '') }
}

/**
 * Looks through a folder and everything below it, but for what is hidden (`.git`). Symbolic links are not followed, not even those
 * that stay inside.
 *
 * @param from a folder below it, which may be that of a skill: only what is in there counts.
 */
export async function walkFolder(root: string, from = ''): Promise<Found> {
  const entries: FolderEntry[] = []
  const folders: Folder[] = [{ path: from, owner: undefined }]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found = await readFolder(root, folder)
    entries.push(...found)
    folders.push(...found.filter(isOf('folder')))
  }
  const insides = toInsides(entries)
  const files = entries
    .filter(isOf('skill'))
    .map(({ path, detail }) => ({ id: detail, path, ...toInside(insides, path) }))
  const refused = entries.filter(isOf('refused')).map(({ path, detail }) => ({ path, reason: detail }))
  const { single, twins } = separateTwins(files)
  return {
    files: single.sort(byPath),
    refused: [...refused, ...twins].sort(byPath),
    others: entries.filter(isOf('other')).length,
    hidden: entries
      .filter(isOf('hidden'))
      .map(({ path }) => path)
      .sort(compareText),
  }
}

function isOf(kind: FolderEntry['kind']): (entry: FolderEntry) => boolean {
  return (entry) => entry.kind === kind
}

/** What lies in the folder of a skill beside its text. */
interface Inside {
  files: string[]
  lacks?: string | undefined
}

function toInsides(entries: readonly FolderEntry[]): ReadonlyMap<string, Inside> {
  const insides = new Map<string, Inside>()
  for (const { owner, kind, path, detail } of entries) {
    if (owner === undefined) continue
    const inside = insides.get(owner) ?? { files: [] }
    insides.set(owner, inside)
    if (kind === 'inside') inside.files.push(detail)
    else if (kind === 'refused') inside.lacks ??= path
  }
  return insides
}

function toInside(insides: ReadonlyMap<string, Inside>, path: string): Partial<FoundSkill> {
  const inside = path.endsWith(`/${SKILL_FILE}`) ? insides.get(path.slice(0, -SKILL_FILE.length - 1)) : undefined
  return inside === undefined ? {} : { ...inside, files: inside.files.sort() }
}

function byPath(a: { path: string }, b: { path: string }): number {
  return compareText(a.path, b.path)
}

/** `orders.md` and `orders/SKILL.md` are the same skill: which one is meant only their owner knows. */
function separateTwins(files: readonly FoundSkill[]) {
  const paths = new Map<string, string[]>()
  for (const { id, path } of files) paths.set(id, [...(paths.get(id) ?? []), path])
  const isSingle = ({ id }: FoundSkill) => paths.get(id)?.length === 1
  const toOther = ({ id, path }: FoundSkill) => paths.get(id)?.find((other) => other !== path)
  const twins = files
    .filter((file) => !isSingle(file))
    .map((file) => ({
      path: file.path,
      reason: `is the skill ${file.id}, and so is ${toOther(file)}: keep one of them`,
    }))
  return { single: files.filter(isSingle), twins }
}
