import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and the ones on the way that are missing, step by step: Node's own `recursive` never comes back where the system
 * answers ENOENT for a folder whose parent is there, as it does below `/proc`.
 *
 * @throws what is in the way, or what the system says
 */
export async function makeFolder(path: string): Promise<void> {
  for (const folder of await findMissing(resolve(path))) {
    await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new Error(`no folder can be made at ${folder}`)
      if (error.code !== 'EEXIST') throw error
      // Somebody else has just made it, or this is what a folder cannot be made of.
      if (!(await isThere(folder)))
        throw new Error(`no folder can be made at ${folder}: a symbolic link there leads nowhere`)
    })
  }
}

/** From above. The first may be a root, where that is a drive that is not there. */
async function findMissing(path: string): Promise<string[]> {
  if (await isThere(path)) return []
  const parent = dirname(path)
  return parent === path ? [path] : [...(await findMissing(parent)), path]
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => {
      if (stats.isDirectory()) return true
      throw toObstacle(path, 'there is a file')
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error.code === 'ENOTDIR' ? toObstacle(path, 'there is a file on the way to it') : error
    },
  )
}

function toObstacle(path: string, what: string): Error {
  return Object.assign(new Error(`no folder can be made at ${path}: ${what}`), { code: 'ENOTDIR' })
}
