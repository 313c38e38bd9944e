import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and the ones on the way that are missing, step by step: Node's own `recursive` never comes back where the system
 * answers ENOENT for a folder whose parent is there, as it does below `/proc`.
 *
 * @throws what the system says, with its code
 */
export async function makeFolder(path: string): Promise<void> {
  for (const folder of await findMissing(resolve(path))) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new Error(`no folder can be made at ${folder}`)
      if (error.code !== 'EEXIST') throw error
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
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      if (error.code !== 'ENOTDIR') throw error
      throw Object.assign(new Error(`no folder can be made at ${path}: there is a file on the way to it`), {
        code: error.code,
      })
    },
  )
}
