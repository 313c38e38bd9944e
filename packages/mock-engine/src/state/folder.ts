import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** State holds session keys, so folder and files are their owner's alone. */
const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600
/** Opening a pipe does not wait for its other end; a system without the flag has no such pipes. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Makes a folder and the parents that are missing. Node's own recursive way never ends where the system refuses with
 * ENOENT, as it does below `/proc`.
 *
 * @throws when it cannot be made, or something else has the name.
 */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder)
  const there = await stat(path).catch(ignoreMissing)
  if (there?.isDirectory()) return
  if (there) throw new Error(`${path} is a file`)
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path, { mode: FOLDER_MODE }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    if (!(await stat(path).catch(ignoreMissing))) throw new Error(`${path} is a symbolic link that leads nowhere`)
  })
}

/**
 * Reads a file of the folder. Nothing else can stand in its place: a pipe would be waited for, and a device might have no end.
 *
 * @throws an Error that names what is no regular file.
 */
export async function readRegularFile(path: string): Promise<string> {
  const file = await open(path, READ_AT_ONCE)
  try {
    if ((await file.stat()).isFile()) return await file.readFile('utf8')
  } finally {
    await file.close()
  }
  throw new Error(`${path} is no regular file: move it away or choose another folder`)
}

/** What the system said, without the path, which the caller names. */
export function explainSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'syscall' in error ? (error.message.split(', ')[0] ?? error.message) : error.message
}

/** Turns "no such file" into undefined, for a `catch`. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
