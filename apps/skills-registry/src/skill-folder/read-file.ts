import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { checkSkillBody, MAX_SKILL_BYTES } from '@iii/protocol'
import { type FileBytes, readRegularFile } from '@iii/sdk'
import { explainFound, isInside } from './inside.ts'

/** The text of a skill, or why a file holds none. */
export type SkillText = { text: string; bytes: number; problem?: undefined } | { problem: string }

/** Reads a regular file below `root`, never through a link, that is no larger than a skill may be, or than `maxBytes`. */
export async function readBytes(root: string, path: string, maxBytes = MAX_SKILL_BYTES): Promise<FileBytes> {
  try {
    if (!(await isInside(root, dirname(path)))) return { problem: 'lies behind a symbolic link, which is not followed' }
    return readRegularFile(join(root, path), { maxBytes, followsLink: false })
  } catch (error) {
    return { problem: explainFound(path, error) }
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
