import { randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readRegularFile } from '@iii/sdk'

/** A file as it was when it was looked at. */
export interface Seen {
  /** Where it really lies: the end of symbolic links. */
  readonly path: string
  /** Undefined when there is none. */
  readonly text: string | undefined
  readonly mode: number
}

/** Larger files are no configuration. */
const MAX_BYTES = 16 * 1024 * 1024

/** @throws Error for what is no file, not readable, not UTF-8, or too large */
export async function look(path: string): Promise<Seen> {
  try {
    const real = await realpath(path)
    const content = readRegularFile(real, { maxBytes: MAX_BYTES })
    if (content.problem !== undefined) throw new Error(`it ${content.problem}`)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content.bytes)
    return { path: real, text, mode: content.mode }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return { path, text: undefined, mode: 0o600 }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new Error('it is not UTF-8')
    throw error
  }
}

/**
 * Writes a file in one step, so that a client never reads half of it, and keeps what it was beside it.
 *
 * @returns the path of the copy; undefined when there was no file
 * @throws Error when it has changed since it was looked at
 */
export async function replace(seen: Seen, text: string, now: Date): Promise<string | undefined> {
  const { path, mode } = seen
  await mkdir(dirname(path), { recursive: true })
  const draft = join(dirname(path), `.${basename(path)}.iii-${randomUUID()}`)
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
    if ((await look(path)).text !== seen.text) throw new Error('it has changed meanwhile; try again')
    const backup = seen.text === undefined ? undefined : await keepCopy(path, now)
    await rename(draft, path)
    return backup
  } finally {
    await rm(draft, { force: true })
  }
}

const MOST_COPIES = 1_000

/** Never over an older copy: the oldest is what the user wrote. */
async function keepCopy(path: string, now: Date): Promise<string> {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  for (let at = 1; at <= MOST_COPIES; at++) {
    const copy = `${path}.backup-${stamp}${at === 1 ? '' : `-${at}`}`
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL)
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new Error('there are too many copies beside it')
}
