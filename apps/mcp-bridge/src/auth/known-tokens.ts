import type { Grant, Principal } from './principal.ts'
import type { AuthSettings } from './settings/auth-block.ts'
import { toDigest } from './token.ts'

/** The tokens of the file. */
export interface KnownTokens {
  /** @returns whose it is, also of one that has expired; undefined for a token that the file does not have */
  find(token: string): Principal | undefined
  /** The same, of the digest of a token. */
  findDigest(digest: string): Principal | undefined
}

export interface KnownTokensOptions {
  readonly tokens: AuthSettings['tokens']
  readonly grants: ReadonlyMap<string, Grant>
  /** What whoever has the token of a digest may at the moment. */
  readonly standing: (digest: string) => Principal | undefined
}

export function createKnownTokens({ tokens, grants, standing }: KnownTokensOptions): KnownTokens {
  const known = new Map<string, Principal>()
  for (const { name, hash, grant, expires } of tokens) {
    for (const digest of hash) {
      known.set(digest, {
        id: `token:${name}`,
        method: 'token',
        grant: grants.get(grant),
        scopes: [],
        expiresAt: expires === undefined ? undefined : Date.parse(expires),
        // By the token, and not by its name: what is taken out of the file ends what it let in, also where another has its place.
        asOfNow: () => standing(digest),
      })
    }
  }
  return { find: (token) => known.get(toDigest(token)), findDigest: (digest) => known.get(digest) }
}
