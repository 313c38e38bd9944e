import { explainSkillUri, SKILL_SCHEME } from './skill-uri.ts'
import { explainUri, MAX_URI_LENGTH } from './uri.ts'
import { cutUtf8 } from './utf8.ts'

/**
 * Says why `skill::fetch` does not take a text as an address. Registry and bridge say it alike.
 *
 * @returns undefined for an address of a skill, a file of one or a section, whether anybody has it or not.
 *
 * @example
 * explainFetchAddress('https://a') // 'Invalid URI (must start with iii:// or skill://): https://a'
 */
export function explainFetchAddress(address: string): string | undefined {
  if (address.startsWith(SKILL_SCHEME)) return explainSkillUri(address)
  if (address.startsWith('iii://')) return explainUri(address)
  // A refusal shows what it refuses, but not megabytes of it, and never half a character.
  return `Invalid URI (must start with iii:// or skill://): ${cutUtf8(address.toWellFormed(), MAX_URI_LENGTH)}`
}

/**
 * The last line of an answer of `skill::fetch` that was given `uris`, and an `uri` that is not among them.
 *
 * @example
 * explainUnread('iii://a', ['iii://b']) // 'uri was not read (iii://a): uris counts where both are given'
 */
export function explainUnread(uri: unknown, uris: readonly unknown[]): string | undefined {
  const address = typeof uri === 'string' ? uri.trim() : ''
  if (address === '' || uris.some((other) => typeof other === 'string' && other.trim() === address)) return undefined
  return `uri was not read (${address.slice(0, MAX_SHOWN).toWellFormed()}): uris counts where both are given`
}

const MAX_SHOWN = 200

/** So many addresses one call of `skill::fetch` may ask for. */
const MAX_FETCHED = 32

/** Why a call asks for too many; undefined where it does not. */
export function explainTooManyAddresses(count: number): string | undefined {
  if (count <= MAX_FETCHED) return undefined
  return `Too many addresses: ${count} (max ${MAX_FETCHED}); fetch the rest in another call`
}

/**
 * What a call of `skill::fetch` is refused with that asks for several addresses: each reason, since one that is mended would only meet the next.
 *
 * @returns undefined where nothing is refused.
 */
export function joinRefusals(refusals: readonly string[]): string | undefined {
  return refusals.length > 1 ? `Nothing was read. ${refusals.join('; ')}` : refusals[0]
}
