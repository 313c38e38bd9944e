import { randomUUID } from 'node:crypto'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { MAX_SKILL_FILE_BYTES } from '@iii/protocol'
import { explainSystem, isInside } from './inside.ts'
import { readBytes } from './read-file.ts'

/** What lies where a skill is to be written. */
export type Present = 'nothing' | 'same' | 'other' | { problem: string }

/** Looks without changing anything. @param bytes what is to be written */
export async function lookAt(root: string, path: string, bytes: Buffer): Promise<Present> {
  try {
    return (await findObstacle(root, path)) ?? (await compare(root, path, bytes))
  } catch (error) {
    return { problem: `${path}: ${explainSystem(error)}` }
  }
}

/**
 * Puts a file below `root` in one piece: whoever looks sees the old one, or all of the new one. Folders on the way are made.
 *
 * @returns why it was not written, or undefined.
 */
export async function writeBelow(root: string, path: string, bytes: Buffer): Promise<string | undefined> {
  const folder = dirname(path)
  // Hidden, so that one that a killed process leaves behind is no skill.
  const draft = join(root, folder, `.iii-skills-${randomUUID()}.tmp`)
  try {
    await makeFolders(root, folder)
    if (!(await isInside(root, folder))) return `${folder} is a symbolic link, which is not followed`
    try {
      await writeFile(draft, bytes, { flag: 'wx', mode: (await isProgram(root, path, bytes)) ? 0o777 : 0o666 })
      await rename(draft, join(root, path))
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  } catch (error) {
    return `${path}: ${explainSystem(error)}`
  }
  return undefined
}

async function compare(root: string, path: string, bytes: Buffer): Promise<Present> {
  const stats = await lstat(join(root, path)).catch(orNothing)
  if (stats === undefined) return 'nothing'
  if (!stats.isFile()) return { problem: `is in the way at ${path}: it is no regular file` }
  if (stats.size !== bytes.length || stats.size > MAX_SKILL_FILE_BYTES) return 'other'
  const content = await readBytes(root, path, MAX_SKILL_FILE_BYTES)
  if (content.problem !== undefined) return { problem: `${path}: ${content.problem}` }
  return content.bytes.equals(bytes) ? 'same' : 'other'
}

/** The first thing on the way that is not a folder of its own; `nothing` when a folder is still to be made. */
async function findObstacle(root: string, path: string): Promise<Present | undefined> {
  for (const folder of foldersOf(dirname(path))) {
    const stats = await lstat(join(root, folder)).catch(orNothing)
    if (stats === undefined) return 'nothing'
    if (stats.isSymbolicLink()) return { problem: `${folder} is a symbolic link, which is not followed` }
    if (!stats.isDirectory()) return { problem: `${folder} is in the way: it is no folder` }
  }
  return undefined
}

/** The registry keeps no permissions. A script says in its first line what runs it; what is there already stays what it is. */
async function isProgram(root: string, path: string, bytes: Buffer): Promise<boolean> {
  const present = await lstat(join(root, path)).catch(orNothing)
  return present?.isFile() === true ? (present.mode & 0o111) !== 0 : bytes.subarray(0, 2).toString() === '#!'
}

/** One at a time, as `mkdir -p` would follow links on its way. */
async function makeFolders(root: string, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    await mkdir(join(root, folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const stats = await lstat(join(root, folder))
    if (stats.isDirectory()) continue
    throw Object.assign(new Error(folder), { code: stats.isSymbolicLink() ? 'ELOOP' : 'ENOTDIR' })
  }
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function foldersOf(path: string): string[] {
  if (path === '.') return []
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

function orNothing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
