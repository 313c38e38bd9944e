import { type ChallengeFacts, formatChallenge } from './challenge.ts'
import type { TokenFlaw } from './issuers/token-verdict.ts'
import type { Principal } from './principal.ts'

/** What becomes of a request before it is read: it is somebody's, or it is refused. */
export type Admission = { readonly kind: 'principal'; readonly principal: Principal } | AuthRefusal

/** Why nobody is let in. What is told is the same for every reason of a status; the reason itself is for the operator alone. */
export interface AuthRefusal {
  readonly kind: 'refused'
  readonly status: 400 | 401 | 403 | 429 | 503
  readonly text: string
  /** The header WWW-Authenticate. */
  readonly challenge?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  /** A word of a closed list, never a text of the caller. */
  readonly reason: RefusalReason
}

export type RefusalReason =
  | 'no-token'
  | 'token-in-query'
  | HeaderFlaw
  | 'unknown-token'
  | 'expired'
  | TokenFlaw
  | 'keys-unavailable'
  | 'insufficient-scope'
  | 'too-many-failures'
  | 'bus'

const NO_TOKEN = 'Unauthorized: send the header Authorization with a token of this server'
const BAD_TOKEN = 'Unauthorized: the token is not valid'
const TOO_NARROW = 'Forbidden: the token lacks a scope that this server requires'
const UNDECIDED = 'The token cannot be checked at the moment: the keys of its issuer cannot be read'

/** Nothing was sent: not a word of an error, as RFC 6750 §3.1 has it. */
export function toNoToken(facts: ChallengeFacts): AuthRefusal {
  return { kind: 'refused', status: 401, text: NO_TOKEN, challenge: formatChallenge(facts), reason: 'no-token' }
}

/** Whatever was wrong with it, its sender reads the same. */
export function toBadToken(reason: RefusalReason, facts: ChallengeFacts): AuthRefusal {
  return { kind: 'refused', status: 401, text: BAD_TOKEN, challenge: formatChallenge(facts, 'invalid_token'), reason }
}

/** Its sender is whoever has set the variable, and nobody tells them where else to look. */
export const BAD_OWN_TOKEN =
  'Unauthorized: the token in III_MCP_TOKEN is not valid; it has to be one of the auth block, alone: without Bearer, quotes and line breaks'

/** The token is good, and is not enough to be served anything. */
export function toTooNarrow(facts: ChallengeFacts): AuthRefusal {
  const challenge = formatChallenge(facts, 'insufficient_scope')
  return { kind: 'refused', status: 403, text: TOO_NARROW, challenge, reason: 'insufficient-scope' }
}

/** No challenge: at one, clients throw their tokens away, which may be good. */
export function toUndecided(retryAfterSeconds: number): AuthRefusal {
  return { kind: 'refused', status: 503, text: UNDECIDED, retryAfterSeconds, reason: 'keys-unavailable' }
}

export const TOKEN_IN_QUERY: AuthRefusal = {
  kind: 'refused',
  status: 400,
  text: 'Bad request: a token belongs into the header Authorization, never into the address',
  reason: 'token-in-query',
}

/** Over the bus there is no header, and whoever is on it could claim anything. */
export const BUS_REFUSED: AuthRefusal = {
  kind: 'refused',
  status: 403,
  text: 'Forbidden: this server answers no bare messages of the bus; send requests over HTTP with a token, or let auth.bus name a grant',
  reason: 'bus',
}

export function toTooManyFailures(retryAfterSeconds: number): AuthRefusal {
  return {
    kind: 'refused',
    status: 429,
    text: 'Too many requests without a valid token',
    retryAfterSeconds,
    reason: 'too-many-failures',
  }
}

const QUERY_NAMES: ReadonlySet<string> = new Set(['access_token', 'token', 'api_key'])

/** Whether the address has a token in it, where proxies and logs keep it. */
export function hasTokenInQuery(names: readonly string[]): boolean {
  return names.some((name) => QUERY_NAMES.has(name.toLowerCase()))
}

/** A header of an honest client is far shorter. */
const MAX_HEADER_LENGTH = 8_192
const BEARER = /^Bearer +([^\s,]+)$/i
const SCHEME = /^Bearer(?=[\s,]|$)/i

/** Why a header has no token in it. `empty-header` is also one of bytes that are no ASCII, of which the engine makes an empty one. */
export type HeaderFlaw = 'empty-header' | 'header-too-long' | 'not-bearer' | 'several-tokens' | 'token-missing'

/** @returns the token; undefined for a header that holds none, two of them, or something else */
export function readBearer(authorization: string): string | undefined {
  return authorization.length > MAX_HEADER_LENGTH ? undefined : BEARER.exec(authorization)?.[1]
}

/** @param authorization a header that `readBearer` found no token in */
export function findHeaderFlaw(authorization: string): HeaderFlaw {
  if (authorization.length > MAX_HEADER_LENGTH) return 'header-too-long'
  if (authorization.trim() === '') return 'empty-header'
  if (!SCHEME.test(authorization)) return 'not-bearer'
  const words = authorization.replace(SCHEME, '').split(/[\s,]+/)
  return words.filter(Boolean).length > 1 ? 'several-tokens' : 'token-missing'
}
