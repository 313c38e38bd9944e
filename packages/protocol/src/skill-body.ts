import { checkWellFormed } from './ids.ts'
import { utf8Length } from './utf8.ts'

/** The largest skill body, in UTF-8 bytes. */
export const MAX_SKILL_BYTES = 262_144

/**
 * Checks the markdown of a skill: not empty, at most 262144 UTF-8 bytes, no half of a surrogate pair (the engine drops a message with one).
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkSkillBody('') // 'skill must be non-empty'
 */
export function checkSkillBody(body: string): string | undefined {
  if (body === '') return 'skill must be non-empty'
  // A unit takes three bytes at most: short texts need no counting.
  const bytes = body.length * 3 > MAX_SKILL_BYTES ? utf8Length(body) : 0
  if (bytes > MAX_SKILL_BYTES) return `skill body too large (${bytes} bytes; max ${MAX_SKILL_BYTES})`
  return checkWellFormed('skill', body)
}
