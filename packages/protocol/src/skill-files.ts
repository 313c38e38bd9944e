import { z } from 'zod'
import { Base64 } from './content-block.ts'
import { checkWellFormed } from './ids.ts'
import { utf8Length } from './utf8.ts'

/** So many files a skill may have, its own text among them: hosts take no more. */
export const MAX_SKILL_FILES = 512
/** The largest file of a skill, in bytes. */
export const MAX_SKILL_FILE_BYTES = 1_048_576
/** What all files of a skill may take together, its own text among them, in bytes: hosts take no more. */
export const MAX_SKILL_FILES_BYTES = 16 * 1_048_576
/** The longest path of a file below its skill, in UTF-8 bytes. */
export const MAX_FILE_PATH_BYTES = 512
/** The longest media type of a file, in characters. */
const MAX_MIME_TYPE = 128
/** The file that holds the text of a skill: no other may be called so, in any spelling, since some file systems do not tell cases apart. */
export const SKILL_FILE = 'SKILL.md'

/** A file of a skill, as it is registered: its path below the skill, and text, base64, or the SHA-256 of what was sent ahead. */
export const SkillFile = z.object({
  path: z.string().describe('Path below the skill (max 512 bytes): references/LIMITS.md'),
  text: z.string().optional().describe('Its text.'),
  base64: Base64.optional().describe('Its bytes, where they are no text.'),
  sha256: z.string().optional().describe('SHA-256 of its bytes, in hex, where skills::mcp-stage was sent them.'),
  mimeType: z.string().optional().describe('Its media type; else its name tells.'),
})
export type SkillFile = z.infer<typeof SkillFile>

/** What is known of a stored file without reading it. `sha256` is of its bytes, in hex; `bytes` counts them. */
export const SkillFileFact = z.object({
  path: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  mimeType: z.string(),
})
export type SkillFileFact = z.infer<typeof SkillFileFact>

/**
 * Checks the path of a file below its skill: parts joined by `/`, none empty, `.` or `..`, no backslash, no control character, at most 512
 * UTF-8 bytes, and none of the parts called `SKILL.md`.
 *
 * @returns what is wrong and what would be right, or undefined.
 *
 * @example
 * checkFilePath('../secrets') // 'file path "../secrets" leads elsewhere: …'
 */
export function checkFilePath(path: string): string | undefined {
  if (path === '') return 'file path must be non-empty'
  const bytes = utf8Length(path)
  const shown = JSON.stringify(path.slice(0, 100).toWellFormed())
  if (bytes > MAX_FILE_PATH_BYTES) return `file path too long (${bytes} bytes; max ${MAX_FILE_PATH_BYTES}): ${shown}`
  const malformed = checkWellFormed('file path', path)
  if (malformed !== undefined) return malformed
  if (/[\p{Cc}\\]/u.test(path)) {
    return `file path ${shown} has a backslash or a control character: parts are joined by '/'`
  }
  const parts = path.split('/')
  if (parts.includes('')) return `file path ${shown} has an empty part: no leading, trailing or doubled '/'`
  if (parts.some((part) => part === '.' || part === '..')) {
    return `file path ${shown} leads elsewhere: write it from the folder of the skill, without '.' and '..'`
  }
  if (parts.some((part) => part.toLowerCase() === SKILL_FILE.toLowerCase())) {
    return `file path ${shown} has ${SKILL_FILE} in it: that is the text of a skill, which is registered under an id of its own`
  }
  return undefined
}

/**
 * Checks the files of a skill: paths that {@link checkFilePath} takes, none twice and none a folder of another, one of `text`, `base64` and
 * `sha256` in each, and the limits of their number and size.
 *
 * @param skill the text that they lie beside: it counts as one of them
 *
 * @returns what is wrong with the first that is wrong, or undefined.
 *
 * @example
 * checkSkillFiles([{ path: 'a.txt' }]) // 'file a.txt: give either text or base64'
 */
export function checkSkillFiles(files: readonly SkillFile[], skill = ''): string | undefined {
  if (files.length >= MAX_SKILL_FILES) {
    return `too many files (${files.length} beside ${SKILL_FILE}; with it a skill has at most ${MAX_SKILL_FILES})`
  }
  let total = utf8Length(skill)
  for (const file of files) {
    const problem = checkFilePath(file.path) ?? checkContent(file)
    if (problem !== undefined) return problem
    total += sizeOf(file)
  }
  if (total > MAX_SKILL_FILES_BYTES) {
    return `skill too large (${total} bytes with all its files; max ${MAX_SKILL_FILES_BYTES})`
  }
  return checkPlaces(files)
}

function checkContent(file: SkillFile): string | undefined {
  const { path, text, base64, sha256, mimeType = '' } = file
  const given = [text, base64, sha256].filter((one) => one !== undefined)
  if (given.length !== 1) return `file ${path}: give either text or base64`
  if (sha256 !== undefined && !SHA256.test(sha256)) return `file ${path}: sha256 must be 64 digits of small hex`
  const bytes = sizeOf(file)
  if (bytes > MAX_SKILL_FILE_BYTES) return `file ${path} too large (${bytes} bytes; max ${MAX_SKILL_FILE_BYTES})`
  if (mimeType.length > MAX_MIME_TYPE || !MIME_TYPE.test(mimeType)) {
    return `file ${path}: mimeType must be a media type such as text/markdown, in at most ${MAX_MIME_TYPE} characters`
  }
  return text === undefined ? undefined : checkWellFormed(`file ${path}`, text)
}

const SHA256 = /^[0-9a-f]{64}$/
const MIME_TYPE = /^(?:[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?: *; *[\x20-\x7e]+)?)?$/

/** Of base64 what the decoder makes of it: line ends and the marks at its end hold nothing. */
function sizeOf({ text, base64 = '' }: SkillFile): number {
  if (text !== undefined) return utf8Length(text)
  return Math.floor((base64.replace(/[\s=]/g, '').length * 3) / 4)
}

function checkPlaces(files: readonly SkillFile[]): string | undefined {
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) return `file ${path} is there twice`
    paths.add(path)
  }
  for (const path of paths) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      if (paths.has(folder)) return `file ${folder} is also the folder of ${path}`
    }
  }
  return undefined
}
