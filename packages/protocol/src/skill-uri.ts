import { MAX_ID_BYTES } from './ids.ts'
import { MAX_FILE_PATH_BYTES, SKILL_FILE } from './skill-files.ts'

/** How addresses of the files of skills begin, as hosts of the skills extension read them (SEP-2640). */
export const SKILL_SCHEME = 'skill://'
/** The longest that is looked at, in UTF-16 units: each byte of a path may be written as three characters. */
const MAX_SKILL_URI_LENGTH = SKILL_SCHEME.length + 3 * (MAX_ID_BYTES + MAX_FILE_PATH_BYTES + SKILL_FILE.length + 2)

/**
 * Reads a `skill://` address as a path: `orders/refunds/SKILL.md`. Each path has one spelling, that of {@link formatSkillUri}; the empty path is
 * the directory above all skills.
 *
 * @returns undefined for everything else; {@link explainSkillUri} says why.
 *
 * @example
 * parseSkillUri('skill://orders/references/My%20file.md') // 'orders/references/My file.md'
 */
export function parseSkillUri(uri: string): string | undefined {
  return explainSkillUri(uri) === undefined ? decode(uri.slice(SKILL_SCHEME.length)) : undefined
}

/**
 * Writes the path of a file or directory of skills as its address: what has a meaning in a URI is percent-encoded.
 *
 * @example
 * formatSkillUri('orders/SKILL.md') // 'skill://orders/SKILL.md'
 */
export function formatSkillUri(path: string): string {
  return `${SKILL_SCHEME}${path.split('/').map(encodePart).join('/')}`
}

/**
 * Says why a text is no `skill://` address, and what would be right.
 *
 * @returns undefined when {@link parseSkillUri} accepts the text.
 *
 * @example
 * explainSkillUri('skill://orders/') // "A skill:// address may not have an empty part (…): skill://orders/"
 */
export function explainSkillUri(uri: string): string | undefined {
  const shown = uri.slice(0, MAX_SHOWN).toWellFormed()
  if (!uri.startsWith(SKILL_SCHEME)) return `A skill address must start with ${SKILL_SCHEME}: ${shown}`
  if (uri.length > MAX_SKILL_URI_LENGTH)
    return `A skill:// address is too long (${uri.length} characters; max ${MAX_SKILL_URI_LENGTH})`
  const path = decode(uri.slice(SKILL_SCHEME.length))
  if (path === undefined) return `A skill:// address must be well-formed percent-encoded UTF-8: ${shown}`
  if (path === '') return undefined
  const parts = path.split('/')
  if (parts.includes('')) {
    return `A skill:// address may not have an empty part (no leading, trailing or doubled '/'): ${shown}`
  }
  if (parts.some((part) => part === '.' || part === '..')) {
    return `A skill:// address may not have the parts '.' and '..': ${shown}`
  }
  const right = formatSkillUri(path)
  return right === uri ? undefined : `A skill:// address has one spelling; write ${right.slice(0, MAX_SHOWN)}`
}

const MAX_SHOWN = 1100

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed())
}
