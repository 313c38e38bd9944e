import { decodeJwt, errors } from 'jose'
import type { Principal } from '../principal.ts'
import { type FetchDocument, fetchIssuerDocument as fetchOverHttp } from './fetch-document.ts'
import { createIssuerKeys, type IssuerKeys, KeysUnavailable } from './issuer-keys.ts'
import type { IssuerSettings, IssuersInForce } from './issuer-settings.ts'
import type { TokenFlaw, TokenVerdict } from './token-verdict.ts'
import { createVerifiedTokens } from './verified-tokens.ts'
import { verifyJwt } from './verify-jwt.ts'

/** Those whose tokens count. */
export interface Issuers {
  /** Reads a JSON Web Token of one of them. It never throws. */
  verify(token: string): Promise<TokenVerdict>
  /** Whose token it is, where that was verified lately; costs no cryptography. */
  recall(token: string): Principal | undefined
  /** Whether it was right once: to verify it again costs what nobody can make us pay with tokens that they have made up. */
  knows(token: string): boolean
}

export interface IssuersOptions {
  /** The same object as long as nothing has changed. */
  readonly settings: () => IssuersInForce
  /** Told when the keys of an issuer cannot be read, and with undefined when they can be again. */
  readonly onKeys: (issuer: string, trouble: string | undefined) => void
  readonly fetchDocument?: FetchDocument
  readonly now?: () => number
}

/** Only for tokens that are addressed to this server, by an issuer that is named, with a key of that issuer. */
export function createIssuers(options: IssuersOptions): Issuers {
  const { settings, now = Date.now } = options
  const keysOf = createKeyRing(options)
  const tokens = createVerifiedTokens({ settings, keysOf, now })

  async function judge(token: string): Promise<TokenVerdict> {
    // Not verified: it only chooses whose keys have to.
    const named = decodeJwt(token).iss
    const issuer = settings().issuers.find((one) => one.issuer === named)
    if (issuer === undefined) return { kind: 'invalid', why: 'unknown-issuer' }
    const keys = keysOf(issuer)
    const edition = keys.edition()
    return tokens.add(token, await verifyJwt(token, { issuer, keys, now }), { issuer, edition })
  }

  return {
    recall: tokens.recall,
    knows: tokens.has,
    async verify(token) {
      const principal = tokens.recall(token)
      if (principal !== undefined) return { kind: 'principal', principal }
      try {
        return await judge(token)
      } catch (error) {
        if (error instanceof KeysUnavailable) {
          return { kind: 'unavailable', retryAfterSeconds: error.retryAfterSeconds }
        }
        return { kind: 'invalid', why: toFlaw(error) }
      }
    },
  }
}

function toFlaw(error: unknown): TokenFlaw {
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIM_FLAWS[error.claim] ?? 'claims'
  return error instanceof errors.JOSEError ? (FLAWS[error.code] ?? 'malformed') : 'malformed'
}

const CLAIM_FLAWS: Readonly<Record<string, TokenFlaw>> = {
  aud: 'audience',
  nbf: 'not-yet-valid',
  typ: 'kind-of-token',
}
const FLAWS: Readonly<Record<string, TokenFlaw>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown-key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWT_EXPIRED: 'expired',
}

/** Keys are known as long as their issuer is in the settings, whatever else changes there. */
function createKeyRing({ settings, onKeys, fetchDocument = fetchOverHttp, now }: IssuersOptions) {
  const ring = new Map<string, IssuerKeys>()
  let seen: IssuersInForce | undefined
  const toKey = ({ issuer, jwks }: IssuerSettings) => `${issuer} ${jwks ?? ''}`

  return (asked: IssuerSettings): IssuerKeys => {
    const current = settings()
    if (current !== seen) {
      const named = new Set(current.issuers.map(toKey))
      for (const key of ring.keys()) if (!named.has(key)) ring.delete(key)
      seen = current
    }
    const { issuer, jwks } = asked
    const onChange = (trouble: string | undefined) => onKeys(issuer, trouble)
    const keys =
      ring.get(toKey(asked)) ?? createIssuerKeys({ issuer, jwks, fetchDocument, onChange, ...(now && { now }) })
    ring.set(toKey(asked), keys)
    return keys
  }
}
