import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { checkSkillBody, MAX_SKILL_BYTES } from '@iii/protocol'
import { explainSystem, isInside } from './inside.ts'

/** The bytes of a file, or why they are not read. */
export type FileContent = { bytes: Buffer; problem?: undefined } | { problem: string }

/** The text of a skill, or why a file holds none. */
export type SkillText = { text: string; bytes: number; problem?: undefined } | { problem: string }

/** Never through a link, and never waiting for the other end of a pipe; a system without these flags has none of both. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Reads a regular file below `root` that is no larger than a skill may be. */
export async function readBytes(root: string, path: string): Promise<FileContent> {
  try {
    if (!(await isInside(root, dirname(path)))) return { problem: 'lies behind a symbolic link, which is not followed' }
    const file = await open(join(root, path), FLAGS)
    try {
      return await readAll(file)
    } finally {
      await file.close()
    }
  } catch (error) {
    return { problem: explainSystem(error) }
  }
}

/** Reads a file below `root` as the body of a skill: UTF-8, byte for byte. */
export async function readSkillFile(root: string, path: string): Promise<SkillText> {
  const content = await readBytes(root, path)
  if (content.problem !== undefined) return content
  const { bytes } = content
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const problem = bytes.length === 0 ? 'is empty' : checkSkillBody(text)
    return problem === undefined ? { text, bytes: bytes.length } : { problem }
  } catch {
    return { problem: 'is not text in UTF-8' }
  }
}

async function readAll(file: FileHandle): Promise<FileContent> {
  const stats = await file.stat()
  if (!stats.isFile()) return { problem: 'is no regular file' }
  if (stats.size > MAX_SKILL_BYTES) {
    return { problem: `has ${stats.size} bytes; a skill has at most ${MAX_SKILL_BYTES}` }
  }
  const room = Buffer.allocUnsafe(stats.size + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < room.length; length += read) {
    read = (await file.read(room, length, room.length - length, length)).bytesRead
  }
  return length > stats.size ? { problem: 'grew while it was read' } : { bytes: room.subarray(0, length) }
}
