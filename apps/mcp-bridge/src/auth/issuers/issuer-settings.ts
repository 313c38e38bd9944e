import type { Grant } from '../principal.ts'

/** Algorithms of signatures that a token may have: asymmetric ones alone, since whoever checks must not be able to sign. */
export const JWT_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number]

export type ClaimValue = string | number | boolean

/** What a token has to say: `has` for a claim that is a list (or words), `is` for one that is a single value. */
export type ClaimCondition =
  | { readonly claim: string; readonly has: ClaimValue }
  | { readonly claim: string; readonly is: ClaimValue }

/** Somebody whose tokens count, as the operator has set it. Claims are named by paths: `realm_access.roles`. */
export interface IssuerSettings {
  /** Compared as it stands with `iss`, the slash at its end too. */
  readonly issuer: string
  /** Where its keys are; undefined: where its own metadata says. */
  readonly jwks: string | undefined
  /** One of them has to be in `aud`. */
  readonly audience: readonly string[]
  readonly algorithms: readonly JwtAlgorithm[]
  /** `at+jwt`: only tokens that say in their header that they are access tokens (RFC 9068). */
  readonly type: 'any' | 'at+jwt'
  readonly clockToleranceS: number
  /** Who the token is about. Where it is not there, `client_id` and then `azp` tell. */
  readonly subject: string
  /** Where scopes are: the first that is there counts. */
  readonly scopes: readonly string[]
  /** Scopes without which nothing is served. */
  readonly require: readonly string[]
  /** What clients are told to ask for, where the issuer calls scopes something else in requests; undefined: `require`. */
  readonly advertisedScopes: readonly string[] | undefined
  /** All whose condition holds are united; without a condition one always holds. */
  readonly grants: readonly { readonly when: ClaimCondition | undefined; readonly grant: string }[]
  /** Claims that functions get. */
  readonly forwardClaims: readonly string[]
}

/** What the settings say about issuers; the same object as long as nothing has changed. */
export interface IssuersInForce {
  readonly issuers: readonly IssuerSettings[]
  readonly grants: ReadonlyMap<string, Grant>
}

/** What clients are told to ask an issuer for. */
export function toAskedScopes({ require, advertisedScopes }: IssuerSettings): readonly string[] {
  return advertisedScopes ?? require
}
