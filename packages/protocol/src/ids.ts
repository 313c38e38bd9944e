import { findLoneSurrogate, utf8Length } from './utf8.ts'

/** The longest skill id or function id, in UTF-8 bytes. */
export const MAX_ID_BYTES = 1024
/** The longest segment of a skill id and the longest prompt name, in UTF-8 bytes. */
export const MAX_SEGMENT_BYTES = 64

/**
 * First segments that no skill id may have, beside `fn`: `iii://skills` is the index, and the bridge serves the others itself.
 * Rows of stores written before the words were reserved may still carry them: nobody can read those by their address.
 */
export const RESERVED_SKILL_ROOTS: readonly string[] = ['functions', 'workers', 'triggers', 'context', 'skills']

/**
 * Checks an id that a skill is to be registered under: the grammar of {@link checkSkillPath}, and no reserved first segment.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkSkillId('orders/refunds') // undefined
 * checkSkillId('Orders') // 'invalid id (segment 1 of "Orders"): segment may only contain lowercase ASCII letters, …'
 */
export function checkSkillId(id: string): string | undefined {
  const problem = checkSkillPath(id)
  if (problem !== undefined) return problem
  const [root = ''] = id.split('/', 1)
  if (!RESERVED_SKILL_ROOTS.includes(root)) return undefined
  const owner = root === 'skills' ? 'the index at iii://skills' : `what the MCP bridge serves at iii://${root}`
  return `id may not have "${root}" as its first segment (reserved for ${owner}): "${id}"`
}

/**
 * Checks the grammar of a skill id alone, so that rows whose first segment was reserved later can still be read and removed:
 * segments of lowercase ASCII letters, digits, `-` and `_`, at most 64 bytes each and 1024 in all, joined by `/`, the first not `fn`.
 * The texts are those of the iii skills worker 0.2.2.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkSkillPath('fn/a') // 'id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "fn/a"'
 */
export function checkSkillPath(id: string): string | undefined {
  if (id === '') return 'id must be non-empty'
  const shown = shorten(id)
  if (id.startsWith('/') || id.endsWith('/')) return `id may not have a leading or trailing '/': "${shown}"`
  const bytes = utf8Length(id)
  if (bytes > MAX_ID_BYTES) return `id too long (${bytes} chars; max ${MAX_ID_BYTES}): "${shown}"`
  const segments = id.split('/')
  for (const [index, segment] of segments.entries()) {
    const problem = checkSegment(segment)
    if (problem !== undefined) return `invalid id (segment ${index + 1} of "${shown}"): ${problem}`
  }
  if (segments[0] !== 'fn') return undefined
  return `id may not have "fn" as its first segment (reserved as the iii://fn/ section-URI marker): "${id}"`
}

/**
 * Checks the name of a slash command: lowercase ASCII letters, digits, `-` and `_`, at most 64 bytes.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkPromptName('refund-order') // undefined
 */
export function checkPromptName(name: string): string | undefined {
  if (name === '') return 'name must be non-empty'
  const bytes = utf8Length(name)
  if (bytes > MAX_SEGMENT_BYTES) return `name too long (${bytes} chars; max ${MAX_SEGMENT_BYTES})`
  if (slug.test(name)) return undefined
  return `name may only contain lowercase ASCII letters, digits, '-' and '_': "${shorten(name)}"`
}

/**
 * Checks the description of a prompt: not blank, well-formed.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkPromptDescription('  ') // 'description must be non-empty'
 */
export function checkPromptDescription(description: string): string | undefined {
  if (description.trim() === '') return 'description must be non-empty'
  return checkWellFormed('description', description)
}

/**
 * Checks the handler id of a prompt: not blank, and what {@link checkFunctionId} asks for. Whether the function exists is not checked.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkPromptFunctionId('') // 'function_id must be non-empty'
 */
export function checkPromptFunctionId(id: string): string | undefined {
  return checkFunctionId(id)
}

/**
 * Checks the declared arguments of a prompt: names not blank, none twice (compared as they are, untrimmed), well-formed.
 *
 * @returns what is wrong with the first argument that is wrong, or undefined.
 *
 * @example
 * checkPromptArguments([{ name: 'to' }, { name: 'to' }]) // 'duplicate argument name: to'
 */
export function checkPromptArguments(args: readonly { readonly name: string }[]): string | undefined {
  const seen = new Set<string>()
  for (const { name } of args) {
    if (name.trim() === '') return 'argument name must be non-empty'
    const problem = checkWellFormed('argument name', name)
    if (problem !== undefined) return problem
    if (seen.has(name)) return `duplicate argument name: ${shorten(name)}`
    seen.add(name)
  }
  return undefined
}

/**
 * Checks a function id before it is handed to the engine, which accepts any text: not blank, at most 1024 UTF-8 bytes, well-formed.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkFunctionId('orders::create') // undefined
 */
export function checkFunctionId(id: string): string | undefined {
  if (id.trim() === '') return 'function_id must be non-empty'
  const bytes = utf8Length(id)
  if (bytes > MAX_ID_BYTES) return `function_id too long (${bytes} bytes; max ${MAX_ID_BYTES})`
  return checkWellFormed('function_id', id)
}

const slug = /^[a-z0-9_-]+$/

function checkSegment(segment: string): string | undefined {
  if (segment === '') return 'segment must be non-empty'
  const bytes = utf8Length(segment)
  if (bytes > MAX_SEGMENT_BYTES)
    return `segment too long (${bytes} chars; max ${MAX_SEGMENT_BYTES}): "${shorten(segment)}"`
  if (slug.test(segment)) return undefined
  return `segment may only contain lowercase ASCII letters, digits, '-' and '_': "${shorten(segment)}"`
}

/** @returns what is wrong with half of a surrogate pair, or undefined. */
export function checkWellFormed(what: string, text: string): string | undefined {
  const index = findLoneSurrogate(text)
  if (index === -1) return undefined
  return `${what} is not well-formed Unicode: half of a surrogate pair at index ${index}; send whole characters`
}

/** A refusal shows what it refuses, but not megabytes of it, and never a half pair. */
function shorten(text: string): string {
  return (text.length > 1100 ? `${text.slice(0, 1100)}…` : text).toWellFormed()
}
