import { randomUUID } from 'node:crypto'
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readRegularFile } from '@iii/sdk'
import { makeFolder } from '@iii/sdk/cli'

/** A file as it was when it was looked at. */
export interface Seen {
  /** Where it really lies, or would: the end of symbolic links. */
  readonly path: string
  /** Undefined when there is none. */
  readonly text: string | undefined
  readonly mode: number
}

/** Larger files are no configuration. */
const MAX_BYTES = 16 * 1024 * 1024

/** @throws Error for what is no file, not readable, not UTF-8, or too large */
export async function look(path: string): Promise<Seen> {
  const real = await follow(path)
  try {
    const content = readRegularFile(real, { maxBytes: MAX_BYTES })
    if (content.problem !== undefined) throw new Error(`it ${content.problem}`)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content.bytes)
    return { path: real, text, mode: content.mode }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return { path: real, text: undefined, mode: 0o600 }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new Error('it is not UTF-8')
    throw error
  }
}

/** A link may lead to a file that is still to come, as in a folder of settings that are kept for several machines. */
async function follow(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const target = await readlink(path).catch(() => undefined)
    return target === undefined ? path : await follow(resolve(await realpath(dirname(path)), target))
  }
}

/**
 * Writes a file in one step, so that a client never reads half of it, and keeps what it was beside it: one copy, of the last change.
 *
 * @returns the path of the copy; undefined when there was no file
 * @throws Error when it has changed since it was looked at
 */
export async function replace(seen: Seen, text: string): Promise<string | undefined> {
  const backup = seen.text === undefined ? undefined : toBackup(seen)
  await write(seen, text, backup)
  return backup
}

/** Writes a file in one step, where there is one, and takes the copy away that was kept of it. @throws Error when it has changed since it was looked at */
export async function restoreFile(seen: Seen, text: string): Promise<void> {
  if (seen.text !== undefined && text !== seen.text) await write(seen, text, undefined)
  await rm(toBackup(seen), { force: true })
}

function toBackup({ path }: Seen): string {
  return `${path}.iii-backup`
}

/** Whose a file is, and who may use it. A new one belongs to whom its folder does. */
interface Form {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

async function write(seen: Seen, text: string, backup: string | undefined): Promise<void> {
  const { path, mode } = seen
  await makeFolder(dirname(path))
  const { uid, gid } = await stat(path).catch(() => stat(dirname(path)))
  const form = { mode, uid, gid }
  const draft = toDraft(path)
  try {
    await writeWhole(draft, text, form)
    if ((await look(path)).text !== seen.text) throw new Error('it has changed meanwhile; try again')
    if (backup !== undefined) await keep(backup, seen.text ?? '', form)
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Whatever lies at that path is replaced and not followed. */
async function keep(backup: string, text: string, form: Form): Promise<void> {
  const draft = toDraft(backup)
  try {
    await writeWhole(draft, text, form)
    await rename(draft, backup)
  } finally {
    await rm(draft, { force: true })
  }
}

function toDraft(path: string): string {
  return join(dirname(path), `.${basename(path)}.iii-${randomUUID()}`)
}

async function writeWhole(path: string, text: string, { mode, uid, gid }: Form): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    // The superuser alone may give it away, and has to: a client could not read its own configuration after a sudo.
    await file.chown(uid, gid).catch(() => undefined)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}
