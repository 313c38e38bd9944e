import { parseUri } from '@iii/protocol'
import { z } from 'zod'
import { isTrustworthy } from '../issuers/fetch-document.ts'

/** The texts that several parts of the `auth` block are made of. */

/** The name of a token or a grant. It becomes a part of principals' ids and of log lines. */
export const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
  error: 'must be 1 to 64 letters, digits and . _ - that begin with a letter or digit, for example ci',
})

export const ScopeWord = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, {
  error: 'must be a scope without spaces and quotes, for example orders:write',
})

/** One that a grant gives, or all that begin alike. */
export const GrantedScope = ScopeWord.refine((scope) => !/\*./.test(scope), {
  error: 'has a * that nothing fits: one stands at the end alone, for example orders:*',
})

/** Compared as it is. */
export const TierName = z
  .string()
  .min(1)
  .regex(/^[^*]*$/, {
    error: 'must be the name of a tier, without *: a grant without tiers is for all of them',
  })

/** A skill, and those that lie under it. */
export const SkillId = z.string().refine((text) => parseUri(`iii://${text}`)?.kind === 'skill', {
  error: 'must be the id of a skill, which stands for those under it too, for example orders',
})

/** A path into the claims of a token: `realm_access.roles`. */
export const ClaimPath = z.string().regex(/^[^\s]{1,256}$/, {
  error: 'must be the name of a claim, for example groups or realm_access.roles',
})

/** An address to which secrets may go: `https`, or `http` on this machine. */
export function toWebAddress(example: string) {
  return z.string().refine(isSafeAddress, {
    error: `must be an https address, or http on this machine, without user, query and #, for example ${example}`,
  })
}

function isSafeAddress(text: string): boolean {
  // Quotes may stand in the name of a host, and would end the text that it stands in within a challenge.
  return !/[?#\s"\\]/.test(text) && isTrustworthy(text)
}
