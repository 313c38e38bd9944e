import { dirname } from 'node:path/posix'
import {
  checkSkillFiles,
  MAX_SKILL_FILE_BYTES,
  MAX_SKILL_FILES,
  MAX_SKILL_FILES_BYTES,
  type SkillFile,
} from '@iii/protocol'
import { toSha256 } from '../renditions/render.ts'
import { readBytes } from './read-file.ts'
import type { FoundSkill } from './walk.ts'

/** What lies beside the text of a skill, as it is registered. */
export interface FolderFiles {
  files: SkillFile[]
  /** SHA-256 in hex by path. */
  facts: ReadonlyMap<string, string>
  problem?: undefined
}

/**
 * Reads the files beside a `SKILL.md`, byte for byte, and no more than a skill may have.
 *
 * @param skill the text of that `SKILL.md`
 */
export async function readFolderFiles(
  root: string,
  { path: skillPath, files: paths = [] }: FoundSkill,
  skill: string,
): Promise<FolderFiles | { path: string; problem: string }> {
  if (paths.length >= MAX_SKILL_FILES) {
    return {
      path: skillPath,
      problem: `has ${paths.length} files beside it; with it a skill has at most ${MAX_SKILL_FILES}`,
    }
  }
  const files: SkillFile[] = []
  const facts = new Map<string, string>()
  let total = Buffer.byteLength(skill)
  for (const path of paths) {
    const place = `${dirname(skillPath)}/${path}`
    const content = await readBytes(root, place, MAX_SKILL_FILE_BYTES)
    if (content.problem !== undefined) return { path: place, problem: content.problem }
    total += content.bytes.length
    if (total > MAX_SKILL_FILES_BYTES) {
      return { path: skillPath, problem: `has more than ${MAX_SKILL_FILES_BYTES} bytes with the files beside it` }
    }
    facts.set(path, toSha256(content.bytes))
    files.push({ path, ...toContent(content.bytes) })
  }
  const problem = checkSkillFiles(files, skill)
  return problem === undefined ? { files, facts } : { path: skillPath, problem }
}

/** What is no text in UTF-8 goes as base64. */
function toContent(bytes: Buffer): { text: string } | { base64: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: bytes.toString('base64') }
  }
}
