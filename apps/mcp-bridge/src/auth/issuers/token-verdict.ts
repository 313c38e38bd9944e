import type { Principal } from '../principal.ts'

/** Why a token does not count. For whoever runs the bridge, and never for whoever sent it. */
export type TokenFlaw =
  | 'malformed'
  | 'unknown-issuer'
  | 'algorithm'
  | 'unknown-key'
  | 'signature'
  | 'expired'
  | 'not-yet-valid'
  | 'audience'
  | 'claims'
  | 'kind-of-token'
  | 'nobody-named'

/** What becomes of a token of an issuer. */
export type TokenVerdict =
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'invalid'; readonly why: TokenFlaw }
  /** Nothing can be said of it for now. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  /** It lacks scopes without which nothing is served. @property scopes what to ask for */
  | { readonly kind: 'insufficient'; readonly scopes: readonly string[] }
