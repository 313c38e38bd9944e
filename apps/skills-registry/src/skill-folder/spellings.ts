import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SKILL_FILE } from '@iii/protocol'
import { toSegment, toStem } from './place.ts'

/** Finds the files that skills have in a folder already, however they are spelled there. */
export interface Spellings {
  /** The paths of all regular files that are this skill, sorted. */
  find(id: string): Promise<string[]>
  /** Whether this folder is that of a skill: whether there is a `SKILL.md` in it. */
  isSkillFolder(folder: string): Promise<boolean>
}

/** The names in one folder by the part of an id that they stand for. */
interface Names {
  folders: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, readonly string[]>
}

const NONE: Names = { folders: new Map(), files: new Map() }

/** Looks into each folder once, and only where a skill that is asked for could be. */
export function createSpellings(root: string): Spellings {
  const known = new Map<string, Promise<Names>>()
  const namesIn = (folder: string): Promise<Names> => {
    const names = known.get(folder) ?? readNames(root, folder)
    known.set(folder, names)
    return names
  }

  async function findFolders(segments: readonly string[]): Promise<string[]> {
    let folders = ['']
    for (const segment of segments) {
      const below = folders.map(async (folder) => toPaths(folder, (await namesIn(folder)).folders.get(segment)))
      folders = (await Promise.all(below)).flat()
    }
    return folders
  }

  return {
    isSkillFolder: async (folder) => (await namesIn(folder)).files.has(SKILL_FILE),
    async find(id) {
      const segments = id.split('/')
      const last = segments.pop() ?? ''
      const parents = await findFolders(segments)
      const found = parents.map(async (parent) => {
        const { folders, files } = await namesIn(parent)
        const own = toPaths(parent, folders.get(last))
        const skillFiles = own.map(async (folder) => toPaths(folder, (await namesIn(folder)).files.get(SKILL_FILE)))
        return [...toPaths(parent, files.get(last)), ...(await Promise.all(skillFiles)).flat()]
      })
      return (await Promise.all(found)).flat().sort()
    },
  }
}

function toPaths(folder: string, names: readonly string[] = []): string[] {
  return names.map((name) => (folder === '' ? name : `${folder}/${name}`))
}

/** A folder that cannot be read holds nothing that could be written over. */
async function readNames(root: string, folder: string): Promise<Names> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => [])
  if (entries.length === 0) return NONE
  const markdown = entries.filter((entry) => entry.isFile() && /\.md$/i.test(entry.name))
  return {
    folders: group(
      entries.filter((entry) => entry.isDirectory()),
      toSegment,
    ),
    files: group(markdown, (name) => (name === SKILL_FILE ? name : toSegment(toStem(name)))),
  }
}

function group(entries: readonly Dirent[], toKey: (name: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { name } of entries) groups.set(toKey(name), [...(groups.get(toKey(name)) ?? []), name])
  return groups
}
