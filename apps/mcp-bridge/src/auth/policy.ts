import type { ChallengeFacts } from './challenge.ts'
import type { IssuersInForce } from './issuers/issuer-settings.ts'
import { createKnownTokens, type KnownTokens } from './known-tokens.ts'
import { type PrincipalLimits, toPrincipalLimits, UNLIMITED } from './limits.ts'
import { toBaseScopes } from './metadata.ts'
import type { Grant, Principal } from './principal.ts'
import type { AuthSettings } from './settings/auth-block.ts'
import { toIssuerSettings } from './settings/issuer-block.ts'

/** What the `auth` block comes to, made of it once. */
export interface Policy {
  readonly settings: AuthSettings
  readonly grants: ReadonlyMap<string, Grant>
  readonly tokens: KnownTokens
  readonly issuersInForce: IssuersInForce
  /** What refusals tell of how to get a token. */
  readonly challenge: ChallengeFacts
  /** Callers without a token; undefined: they are refused. */
  readonly anonymous: Principal | undefined
  /** The client that started this process. */
  readonly attached: Principal
  /** Workers that send a bare message; undefined: they are refused. */
  readonly bus: Principal | undefined
  limitsOf(principal: Principal): PrincipalLimits
}

/** Finds a principal in the policy as it is at the moment. @returns undefined for one that would not be let in now */
export type PrincipalLookup = (find: (policy: Policy) => Principal | undefined) => Principal | undefined

export function createPolicy(settings: AuthSettings, standing: PrincipalLookup): Policy {
  const { tokens, anonymous, stdio, bus, resource, limits: common } = settings
  const issuers = settings.issuers.map(toIssuerSettings)
  const grants = toGrants(settings)
  const busGrant = typeof bus === 'string' ? bus : bus.grant
  const toPrincipal = (id: string, kind: NamedKind, grant: string | undefined): Principal => ({
    id,
    method: kind === 'attached' ? 'stdio' : kind,
    grant: grant === undefined ? undefined : grants.get(grant),
    scopes: [],
    expiresAt: undefined,
    asOfNow: () => standing((policy) => policy[kind]),
  })
  const limits = new Map<string, PrincipalLimits>([['local', UNLIMITED]])
  for (const { name, limits: own } of tokens) limits.set(`token:${name}`, toPrincipalLimits(own, common))
  if (anonymous !== undefined) limits.set('anonymous', toPrincipalLimits(anonymous.limits, common))
  const others = toPrincipalLimits(undefined, common)
  return {
    settings,
    grants,
    issuersInForce: { issuers, grants },
    // Where tokens of the file are all there is, nothing leads to an authorization server.
    challenge: { resource: issuers.length === 0 ? undefined : resource, scopes: toBaseScopes(issuers) },
    tokens: createKnownTokens({
      ...{ tokens, grants },
      standing: (digest) => standing((policy) => policy.tokens.findDigest(digest)),
    }),
    anonymous: anonymous && toPrincipal('anonymous', 'anonymous', anonymous.grant),
    attached: toPrincipal('local', 'attached', stdio?.grant),
    bus: busGrant === 'deny' ? undefined : toPrincipal('bus', 'bus', busGrant),
    limitsOf: ({ id }) => limits.get(id) ?? others,
  }
}

/** Principals that have no token. */
type NamedKind = 'anonymous' | 'attached' | 'bus'

function toGrants({ grants }: AuthSettings): ReadonlyMap<string, Grant> {
  const named = Object.entries(grants).map(([name, { tiers, scopes, skills, tools, runs, management }]) => {
    const grant: Grant = { name, tiers, scopes, skills, tools, runs, management }
    return [name, grant] as const
  })
  return new Map(named)
}
