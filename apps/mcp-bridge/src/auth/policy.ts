import type { ChallengeFacts } from './challenge.ts'
import type { IssuersInForce } from './issuers/issuer-settings.ts'
import { createKnownTokens, type KnownTokens } from './known-tokens.ts'
import { type PrincipalLimits, toPrincipalLimits, UNLIMITED } from './limits.ts'
import { toBaseScopes } from './metadata.ts'
import { EVERYTHING, type Principal } from './principal.ts'
import type { AuthSettings } from './settings/auth-block.ts'
import { toIssuerSettings } from './settings/issuer-block.ts'

/** What the `auth` block comes to, made of it once. */
export interface Policy {
  readonly settings: AuthSettings
  readonly tokens: KnownTokens
  readonly issuersInForce: IssuersInForce
  /** What refusals tell of how to get a token. */
  readonly challenge: ChallengeFacts
  /** The client that started this process: it has the rules of the bridge alone. */
  readonly attached: Principal
  limitsOf(principal: Principal): PrincipalLimits
}

/** Finds a principal in the policy as it is at the moment. @returns undefined for one that would not be let in now */
export type Standing = (find: (policy: Policy) => Principal | undefined) => Principal | undefined

export function createPolicy(settings: AuthSettings, standing: Standing): Policy {
  const { tokens, resource, limits: common } = settings
  const issuers = settings.issuers.map(toIssuerSettings)
  const limits = new Map<string, PrincipalLimits>([['local', UNLIMITED]])
  for (const { name, limits: own } of tokens) limits.set(`token:${name}`, toPrincipalLimits(own, common))
  const others = toPrincipalLimits(undefined, common)
  return {
    settings,
    issuersInForce: { issuers, grants: new Map([[EVERYTHING.name, EVERYTHING]]) },
    // Where tokens of the file are all there is, nothing leads to an authorization server.
    challenge: { resource: issuers.length === 0 ? undefined : resource, scopes: toBaseScopes(issuers) },
    tokens: createKnownTokens({ tokens, standing: (digest) => standing((policy) => policy.tokens.findDigest(digest)) }),
    attached: {
      id: 'local',
      method: 'stdio',
      grant: undefined,
      scopes: [],
      expiresAt: undefined,
      asOfNow: () => standing(({ attached }) => attached),
    },
    limitsOf: ({ id }) => limits.get(id) ?? others,
  }
}
